// Whether those ranks of a workload whose traces are there made the same calls.
#pragma once

#include <string>
#include <vector>

#include "bench/workload/workload.hpp"

namespace railgauge {

// Ranks without a list of nodes, in ascending order.
[[nodiscard]] std::vector<int> ranks_without_trace(const Workload& workload);

// "3", "0-2, 5, 8-15": runs of ranks in ascending order.
[[nodiscard]] std::string text_of_ranks(const std::vector<int>& ranks);

// Throws Error(usage) "NAME OF THE WORKLOAD: WHAT".
[[noreturn]] void refuse(const Workload& workload, const std::string& what);

// Throws Error(usage) that names group, call and rank where two ranks of a group differ in their n-th call of it: collective,
// elements, type, operation or root; blocks of all_to_all_v that are sent and received differently; messages without a partner.
// Ranks without a list are passed over.
void expect_agreement(const Workload& workload);

}  // namespace railgauge
