// The bandwidth of each kind of call within a step.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/workload/matches.hpp"
#include "bench/workload/timeline.hpp"
#include "bench/workload/workload.hpp"

namespace railgauge {

// Calls of one collective (or messages) in groups of one kind.
struct CallRates {
  std::string group, call;  // kind of the groups, or their name; all_reduce, message
  int ranks = 0;            // of the largest group
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;  // S, all calls together
  double seconds = 0;       // all calls together, each from when its last rank came to it to its last end
  double median_busbw = 0;  // bytes a second, of the calls
  double waiting = 0;       // of all ranks and calls together: from a rank's call until the last rank came
};

[[nodiscard]] std::vector<CallRates> rates_of(const Workload& workload, const Matches& matches, const Timeline& timeline);

}  // namespace railgauge
