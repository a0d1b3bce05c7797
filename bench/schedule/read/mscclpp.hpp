// MSCCL++'s execution plans (JSON), whose ranks write and read each other's memory and tell each other by signals.
#pragma once

#include <string_view>

#include "bench/schedule/read/program.hpp"

namespace railgauge {

// A plan of the current dialect (since August 2025) or of the two before it. Each operation becomes moves, signals and waits;
// what a port does later than its thread block is a thread block of its own. A pipeline's operations are taken once, since each
// of its slices does the same elsewhere. Throws Error(usage) "ORIGIN:LINE: ..." for what is no such plan, names channels, buffers
// or ranks that do not exist, or reduces inside a switch; the program has passed check_program().
[[nodiscard]] Program read_mscclpp(std::string_view text, std::string_view origin);

}  // namespace railgauge
