// Runs a step without ranks, by given times of its computations and calls: what it would take, or that it hangs.
#pragma once

#include <functional>

#include "bench/workload/matches.hpp"
#include "bench/workload/timeline.hpp"
#include "bench/workload/workload.hpp"

namespace railgauge {

struct ReplayTimes {
  std::function<double(int rank, std::uint32_t node)> computation;  // seconds
  std::function<double(const Match&)> communication;                // from the moment at which all members are there
};

// Streams run one node after the other, and so do calls that are alike (bench/workload/channels.hpp), in the order of their list;
// a node waits for its predecessors; a call waits for all of its ranks. Computations and calls do not slow each other. Throws
// Error(usage) that names a node that can never begin, and what it waits for.
[[nodiscard]] Timeline replay(const Workload& workload, const Matches& matches, const ReplayTimes& times);

// The end of the last node.
[[nodiscard]] double length_of(const Timeline& timeline);

}  // namespace railgauge
