// The figures of a run: medians over its steps, and what the timeline of one step says. docs/workloads.md defines them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/statistics/samples.hpp"
#include "bench/workload/analyse/critical_path.hpp"
#include "bench/workload/analyse/exposed.hpp"
#include "bench/workload/analyse/groups.hpp"
#include "bench/workload/matches.hpp"
#include "bench/workload/step_record.hpp"
#include "bench/workload/workload.hpp"

namespace railgauge {

// Seconds. But for `step` medians over the steps; of ranks as in StepRecord.
struct StepFigures {
  Statistics step;
  double items_per_second = 0;  // 0 where they are not known
  double computing = 0, communicating = 0, exposed = 0;
  double alone_communication = 0, alone_computation = 0;
  std::optional<double> overlap_efficiency;  // nothing where a step has no communication or no computation
};
[[nodiscard]] StepFigures figures_of(const Workload& workload, const std::vector<StepRecord>& steps);

// A stream that communicates; means over its ranks.
struct StreamFigures {
  int stream = 0;
  int ranks = 0;
  std::set<std::string> groups;  // their labels
  Exposure exposure;
};

// A rank in one step. Seconds.
struct RankFigures {
  double computing = 0;
  Exposure exposure;
  double waiting = 0;        // of what is exposed: for ranks that have not come
  std::uint64_t last = 0;    // calls to which it came last
  double keeps_waiting = 0;  // of all other ranks and these calls together: from their call until it came
};

// Seconds of one step; of ranks the means.
struct TimelineFigures {
  double seconds = 0, computing = 0, exposed = 0;
  double waiting = 0;       // of `exposed`: for ranks that have not come
  double transferring = 0;  // of `exposed`: the rest
  double without_communication = 0;
  std::vector<RankFigures> ranks;
  std::vector<StreamFigures> streams;
  std::vector<CallRates> calls;
  CriticalPath path;
};
// Of the step of which `result` has the timeline, which is not empty.
[[nodiscard]] TimelineFigures figures_of(const Workload& workload, const Matches& matches, const RunResult& result);

}  // namespace railgauge
