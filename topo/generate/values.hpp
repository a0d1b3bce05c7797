// Reads the values of parameters.
#pragma once

#include <string_view>

#include "topo/generate/generate.hpp"

namespace railgauge::topo {

// Throws Error(usage) for a whole number that is none, or out of its range.
void check_value(const GenerateParameter& parameter, std::string_view value);

// `otherwise` where the parameter is not given. generate() has checked that whole numbers are in their range.
[[nodiscard]] unsigned whole_value(const GenerateValues& values, std::string_view name, unsigned otherwise);
// From 1 on, as "2" or "1.5"; thousandths count. Throws Error(usage).
[[nodiscard]] double ratio_value(const GenerateValues& values, std::string_view name, double otherwise);
[[nodiscard]] std::string_view text_value(const GenerateValues& values, std::string_view name, std::string_view otherwise);

}  // namespace railgauge::topo
