// The files of topo/draw/web as strings, which the build makes.
#pragma once

#include <string_view>

namespace railgauge::topo::web {

extern const std::string_view picture_css;  // style of the drawing, alone or in a page
extern const std::string_view page_css;
extern const std::string_view page_js;

}  // namespace railgauge::topo::web
