// Programs as execution plans of MSCCL++, in the dialect that it reads since August 2025.
#pragma once

#include <string>

#include "bench/schedule/read/program.hpp"

namespace railgauge {

// An operation a line, over memory channels. Messages become puts and signals (one_sided.hpp). Throws Error(usage) for what is
// not written: puts of a port, pipelines, and dependencies of former dialects between thread blocks. Precondition:
// check_program() found nothing.
[[nodiscard]] std::string to_mscclpp(const Program& program);

}  // namespace railgauge
