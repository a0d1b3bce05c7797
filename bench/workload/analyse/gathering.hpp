// When the ranks of one call came to it.
#pragma once

#include <cstdint>

#include "bench/workload/matches.hpp"
#include "bench/workload/timeline.hpp"
#include "bench/workload/workload.hpp"

namespace railgauge {

struct Gathering {
  int last = 0;             // the rank that came last; of several the first in its group
  double together = 0;      // when it came; seconds of the timeline
  double end = 0;           // when the last rank's part was done
  double waiting = 0;       // of all ranks together: seconds from their call until the last rank came
  std::uint64_t bytes = 0;  // S, of the rank that has most: counts may be uneven
};
[[nodiscard]] Gathering gathering_of(const Workload& workload, const Match& match, const Timeline& timeline);

}  // namespace railgauge
