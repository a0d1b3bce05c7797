// A workload as text: its groups, and the calls of one rank with their sizes and formulas.
#pragma once

#include <string>

#include "bench/workload/workload.hpp"

namespace railgauge {

// Calls that differ in their names alone are one line with their number, unless `each`. The list of that rank must be there.
[[nodiscard]] std::string to_text(const Workload& workload, int rank, bool each);

// "all_reduce", "send", "compute".
[[nodiscard]] std::string call_name(const WorkNode& node);

}  // namespace railgauge
