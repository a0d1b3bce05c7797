// The files of topo/draw/web, which the build turns into strings.
#pragma once

#include <string_view>

namespace railgauge::topo::web {

extern const std::string_view picture_css;  // of the drawing, alone or in a page
extern const std::string_view page_css;
extern const std::string_view page_js;

}  // namespace railgauge::topo::web
