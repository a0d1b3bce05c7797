// A comparison as text: for people, for a merge request, and for programs. Pure functions; each text ends with a newline.
#pragma once

#include <string>

#include "reports/compare/compare.hpp"

namespace railgauge::compare {

[[nodiscard]] std::string to_text(const Comparison& comparison);
[[nodiscard]] std::string to_markdown(const Comparison& comparison);
[[nodiscard]] std::string to_json(const Comparison& comparison);  // one object, railgauge.comparison/1 (docs/compare.md)
[[nodiscard]] std::string to_csv(const Comparison& comparison);   // a line of names, then one for each case

}  // namespace railgauge::compare
