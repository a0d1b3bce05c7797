// SimAI's workload files (text): a line a layer, with its calls and times, as ASTRA-sim 1 had them.
#pragma once

#include "bench/workload/read/rank_trace.hpp"
#include "bench/workload/read/trace_input.hpp"

namespace railgauge {

// Rank 0 of HYBRID_TRANSFORMER_FWD_IN_BCKWD, and the groups of all ranks: the layers forward, each with its call behind it, then
// backward in reverse, where the calls of weight gradients run beside what follows. Throws Error(usage) "ORIGIN:LINE: ...".
[[nodiscard]] RankTrace read_simai(TraceInput& input);

}  // namespace railgauge
