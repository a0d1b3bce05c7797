// Files of algorithms, whatever their format.
#pragma once

#include <string>

#include "bench/schedule/read/program.hpp"

namespace railgauge {

// MSCCL XML or an execution plan of MSCCL++, also compressed by gzip. Throws Error(usage) with one sentence that begins with the
// path.
[[nodiscard]] Program read_algorithm(const std::string& path);

// The same of bytes that stand in memory.
[[nodiscard]] Program read_algorithm_text(std::string bytes, const std::string& origin);

}  // namespace railgauge
