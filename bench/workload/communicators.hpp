// The communicators of a workload: for transports that work in streams of a GPU, where calls of one connection run in the order
// in which a rank begins them.
#pragma once

#include <cstddef>
#include <vector>

#include "bench/workload/channels.hpp"
#include "bench/workload/workload.hpp"

namespace railgauge {

// Of the ranks of some channels, as a framework makes one for each process group. Each rank has as many streams of its GPU as
// calls of it may overlap, and all calls of a communicator use the same one of them.
struct WorkloadCommunicator {
  std::vector<int> ranks;  // of the workload, in the order of the channels' groups
  std::size_t stream = 0;
};

struct WorkloadCommunicators {
  std::vector<WorkloadCommunicator> all;
  std::vector<std::size_t> of_channel;            // by channel: its place in `all`
  std::vector<std::vector<std::size_t>> batches;  // of those that have no rank in common, which can connect at the same time
  std::size_t streams = 0;
};

// The same on all ranks. Two channels have a stream in common only where, on every rank that has calls of both, these belong to
// one stream of the workload.
[[nodiscard]] WorkloadCommunicators communicators_of(const Workload& workload, const Channels& channels);

}  // namespace railgauge
