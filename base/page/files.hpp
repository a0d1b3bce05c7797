// The files of base/page as strings, which the build makes.
#pragma once

#include <string_view>

namespace railgauge::page {

extern const std::string_view page_html;  // with @words@ where something belongs
extern const std::string_view page_css;
extern const std::string_view zoom_css;  // of a page of one picture, beside page_css
extern const std::string_view zoom_js;   // makes zoomable(), before the page's own script

}  // namespace railgauge::page
