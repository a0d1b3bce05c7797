// Kineto's traces: what PyTorch's profiler writes, in Chrome's trace format (JSON).
#pragma once

#include "bench/workload/read/rank_trace.hpp"
#include "bench/workload/read/trace_input.hpp"

namespace railgauge {

// Calls are events record_param_comms, with the times of the NCCL kernels that they launched (joined by "External id"), or those
// kernels alone where they say what they carried; computations are all other kernels and copies of the GPU. Throws Error(usage)
// "ORIGIN: ..." for traces without either.
[[nodiscard]] RankTrace read_kineto(TraceInput& input);

}  // namespace railgauge
