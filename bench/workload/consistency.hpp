// Whether the ranks of a workload agree: what hangs or mixes up data when it runs is refused before.
#pragma once

#include "bench/workload/workload.hpp"

namespace railgauge {

// Throws Error(usage) that names rank, node and what was expected: groups that name no rank or one twice, predecessors that come
// later, ranks without nodes, and what expect_agreement() refuses (bench/workload/agree.hpp). All lists must be there.
void expect_consistent(const Workload& workload);

}  // namespace railgauge
