// From the traces of single ranks to one workload.
#pragma once

#include <string>
#include <vector>

#include "bench/workload/read/rank_trace.hpp"

namespace railgauge {

// Gives each trace its rank (as it says, else from its file's name), unites groups of one name and the same ranks, and checks
// that the ranks that are there agree. `ranks` is how many the job has where the traces do not say it, 0: as they say. Throws
// Error(usage) with one sentence that names file, rank or group.
[[nodiscard]] Workload join(std::vector<RankTrace> traces, const std::string& name, const std::string& format, int ranks = 0);

}  // namespace railgauge
