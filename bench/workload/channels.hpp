// The distinct calls of a workload: all that are alike share one plan and one set of buffers.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/workload/matches.hpp"
#include "bench/workload/workload.hpp"

namespace railgauge {

// Calls of one group with the same collective, size, type, operation, root and counts; or messages from one rank to another with
// the same tag, size and type. They run one after the other, in the
// order of each rank's list, so that the same ones meet on all ranks.
struct Channel {
  bool collective = true;
  Collective what = Collective::all_reduce;  // of a message: stream
  Type type = Type::float32;
  Op op = Op::none;
  int root = 0;
  std::vector<int> ranks;  // of the workload, in the order of the group; of a message its sender, then its receiver
  std::uint64_t elements = 0;
  std::vector<std::vector<std::uint64_t>> counts;  // all_to_all_v: [from][to]
};

inline constexpr int no_channel = -1;

struct Channels {
  std::vector<Channel> all;               // the same on all ranks
  std::vector<std::vector<int>> of_node;  // by rank and node; no_channel for computations and markers
};

// The workload must be consistent (bench/workload/consistency.hpp).
[[nodiscard]] Channels channels_of(const Workload& workload, const Matches& matches);

}  // namespace railgauge
