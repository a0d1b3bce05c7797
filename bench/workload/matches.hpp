// Which nodes of different ranks belong together: the calls of a collective on all ranks of its group, a send and its receive.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "bench/workload/workload.hpp"

namespace railgauge {

struct Match {
  struct Member {
    int rank = 0;
    std::uint32_t node = 0;
  };
  std::vector<Member> members;  // of a collective in the order of its group; of a message its sender, then its receiver
};

inline constexpr std::uint32_t no_match = std::numeric_limits<std::uint32_t>::max();

struct Matches {
  std::vector<Match> all;                           // the same order on all ranks
  std::vector<std::vector<std::uint32_t>> of_node;  // by rank and node; no_match for computations and markers
};

// The workload must be consistent (bench/workload/consistency.hpp).
[[nodiscard]] Matches matches_of(const Workload& workload);

}  // namespace railgauge
