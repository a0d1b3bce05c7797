// A comparison as text: for people, for a merge request, and for programs. Pure functions; each text ends with a newline.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "reports/compare/compare.hpp"

namespace railgauge::compare {

[[nodiscard]] std::string to_text(const Comparison& comparison);
[[nodiscard]] std::string to_markdown(const Comparison& comparison);
[[nodiscard]] std::string to_json(const Comparison& comparison);  // one object, railgauge.comparison/1 (docs/compare.md)
[[nodiscard]] std::string to_csv(const Comparison& comparison);   // a line of names, then one for each case

// The words of a case as programs read them. Those that may differ between sides are empty in a key: null. What is a condition is
// no word of it.
[[nodiscard]] nlohmann::ordered_json words_record(const Key& key);

}  // namespace railgauge::compare
