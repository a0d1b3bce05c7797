// The critical path of a step: from its last node back to its beginning, each time to what ended last of all that it waited for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/workload/matches.hpp"
#include "bench/workload/timeline.hpp"
#include "bench/workload/workload.hpp"

namespace railgauge {

struct PathNode {
  int rank = 0;
  std::uint32_t node = 0;
  double start = 0, end = 0;  // the part of the path that it takes; a call from when its last rank came to it
};

struct CriticalPath {
  std::vector<PathNode> nodes;  // in the order of time
  double computing = 0, communicating = 0;
  double gaps = 0;  // between nodes: neither
};

[[nodiscard]] CriticalPath critical_path(const Workload& workload, const Matches& matches, const Timeline& timeline);

// Those that take longest, at most so many; the longest first.
[[nodiscard]] std::vector<PathNode> longest_of(const CriticalPath& path, std::size_t most);

}  // namespace railgauge
