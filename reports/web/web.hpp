// The files that a page is made of, which the build turns into strings.
#pragma once

#include <string_view>

namespace railgauge::web {

extern const std::string_view page_css;
extern const std::string_view report_js;         // the charts, bundled; blank where they were not built
extern const std::string_view report_js_sha256;  // of report_js, as a content security policy names it; blank with it

}  // namespace railgauge::web
