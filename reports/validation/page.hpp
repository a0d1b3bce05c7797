// The file that the page has beside those of reports/web, which the build turns into a string.
#pragma once

#include <string_view>

namespace railgauge::validation {

extern const std::string_view page_css;

}  // namespace railgauge::validation
