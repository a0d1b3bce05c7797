// A workload made smaller or larger in proportion: its bytes and its computations.
#pragma once

#include "bench/workload/workload.hpp"

namespace railgauge {

// Multiplies elements, durations and flops by `factor`, which is more than 0. Each call keeps at least one element; what divided
// evenly by the ranks of its group still does. Counts of all_to_all_v are scaled one by one, so that both ends agree.
[[nodiscard]] Workload scaled(Workload workload, double factor);

// One half as often as it takes for the largest call to have at most 4 MiB: what suits a machine whose ranks nobody counted on.
[[nodiscard]] double comfortable_factor(const Workload& workload);

// Bytes of payload of the largest call of any rank, and of all calls of the rank that has most.
struct Payload {
  std::uint64_t largest = 0, most = 0;
};
[[nodiscard]] Payload payload_of(const Workload& workload);

}  // namespace railgauge
