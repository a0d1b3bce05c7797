// PARAM's communication traces (JSON): a list of calls and computations of one rank.
#pragma once

#include "bench/workload/read/rank_trace.hpp"
#include "bench/workload/read/trace_input.hpp"

namespace railgauge {

// As commsTraceParser.py of facebookresearch/param reads its basic traces. A call that no later `wait` names is synchronous.
// Throws Error(usage) "ORIGIN: entry N: ..." for calls that it does not know or that lack their sizes.
[[nodiscard]] RankTrace read_param(TraceInput& input);

}  // namespace railgauge
