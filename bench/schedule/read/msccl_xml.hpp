// MSCCL XML: the format of msccl-tools, TACCL, TE-CCL and SyCCL, which MSCCL and RCCL execute.
#pragma once

#include <string_view>

#include "bench/schedule/read/program.hpp"

namespace railgauge {

// The file as both of its executors read it (src/graph/topo.cc of microsoft/msccl, msccl_parser.cc of ROCm/rccl): both
// spellings of the collectives; outofplace, minBytes and maxBytes have defaults; unknown attributes and <copy> are passed over.
// Throws Error(usage) "ORIGIN:LINE: ..." for what is no such file; the program has passed check_program().
[[nodiscard]] Program read_msccl_xml(std::string_view text, std::string_view origin);

}  // namespace railgauge
