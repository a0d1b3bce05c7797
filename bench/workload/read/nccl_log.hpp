// Lines of NCCL's log (NCCL_DEBUG=INFO with NCCL_DEBUG_SUBSYS=INIT,COLL), also of RCCL.
#pragma once

#include <vector>

#include "bench/workload/read/rank_trace.hpp"
#include "bench/workload/read/trace_input.hpp"

namespace railgauge {

// The traces of the processes and devices that wrote lines into this file. Their ranks and the members of communicators come from
// the lines of INIT ("comm P rank R nranks N ... commId I"). Throws Error(usage) "ORIGIN:LINE: ..." for a torn line of a call.
[[nodiscard]] std::vector<RankTrace> read_nccl_log(TraceInput& input);

}  // namespace railgauge
