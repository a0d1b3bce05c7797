// Programs as MSCCL XML, as MSCCL and RCCL read it.
#pragma once

#include <string>

#include "bench/schedule/read/program.hpp"

namespace railgauge {

// A step a line. Throws Error(usage) for what the format cannot say: another collective, or ranks that access each other's
// memory. Precondition: check_program() found nothing.
[[nodiscard]] std::string to_msccl_xml(const Program& program);

}  // namespace railgauge
