// The timeline of a step in the trace event format of Chrome, which Perfetto opens: a process a rank, a thread a stream.
#pragma once

#include <string>

#include "bench/workload/timeline.hpp"
#include "bench/workload/workload.hpp"

namespace railgauge {

// Complete events ("ph": "X") in microseconds since the step began; names of ranks and streams as metadata events;
// a flow ("s", "f") from each send to its receive.
[[nodiscard]] std::string chrome_trace(const Workload& workload, const Timeline& timeline);

}  // namespace railgauge
