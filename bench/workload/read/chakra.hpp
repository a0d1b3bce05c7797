// Chakra's execution traces (protobuf), of PyTorch's converter, of ASTRA-sim's generators and of railgauge.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/workload/read/rank_trace.hpp"
#include "bench/workload/read/trace_input.hpp"

namespace railgauge {

// Nodes on the host that are marked as collectives become computations: their kernels stand beside them. Sends and receives are
// told by the type of the node; comm_type counts for collectives alone. Throws Error(usage) "ORIGIN: node N: ..." for damaged
// messages, cycles, unknown types and calls without a size.
[[nodiscard]] RankTrace read_chakra(TraceInput& input);

// Groups beside the traces, as ASTRA-sim reads them: {"0": [0, 1], ...}, or of PyTorch {"0": {"ranks": [...]}}.
[[nodiscard]] std::map<std::string, std::vector<int>> read_chakra_groups(TraceInput& input);

}  // namespace railgauge
