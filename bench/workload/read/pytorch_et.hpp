// PyTorch's execution traces (JSON): what the host called, without times.
#pragma once

#include "bench/workload/read/rank_trace.hpp"
#include "bench/workload/read/trace_input.hpp"

namespace railgauge {

// Schemas 1.0.1 to 1.1.0-chakra. The calls are the nodes record_param_comms, in the order of their ids; groups come from
// "## process_group:init ##". Throws Error(usage) "ORIGIN: node N: ..." for what it does not know.
[[nodiscard]] RankTrace read_pytorch_et(TraceInput& input);

}  // namespace railgauge
