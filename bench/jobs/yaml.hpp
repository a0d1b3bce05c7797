// Documents as YAML: strings that something else than a string could be read from stand in quotes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace railgauge::jobs {

using Document = nlohmann::ordered_json;

// In blocks, two blanks a level, with a newline at the end.
[[nodiscard]] std::string to_yaml(const Document& document);

}  // namespace railgauge::jobs
