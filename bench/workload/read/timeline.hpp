// From times to dependences: a rank's calls and computations as a profiler saw them become a graph that can be replayed.
#pragma once

#include <utility>
#include <vector>

#include "bench/workload/read/rank_trace.hpp"

namespace railgauge {

// Seconds since any moment, the same for all.
struct TimedCall {
  TracedCall call;
  double issued = 0;          // by the host; start where it is not known
  double start = 0, end = 0;  // of its kernel
};
struct BusyTime {
  double start = 0, end = 0;
};

// Appends to the trace. What is between the calls becomes computations of the same length: while a computation ran, and while
// neither computation nor communication did (gaps of the host). Where communication alone ran, the rank waited for it: what
// follows then depends on those calls that ended in that time. A call is ready when its kernel began, or, where the kernel had to
// wait for the one before it in its stream, when the host issued it.
void add_timeline(RankTrace& trace, std::vector<TimedCall> calls, std::vector<BusyTime> computations);

}  // namespace railgauge
