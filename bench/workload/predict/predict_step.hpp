// How long a step would take on a topology: its calls costed on the links between their ranks, and the step replayed with these
// times. docs/workloads.md says what that leaves out.
#pragma once

#include <string>
#include <vector>

#include "bench/predict/predict.hpp"
#include "bench/workload/predict/fold.hpp"
#include "bench/workload/step_record.hpp"
#include "topo/graph.hpp"

namespace railgauge {

struct StepQuestion {
  predict::Question links;  // what a graph's links carry and cost: NICs, routing, constants; and algorithms, if any
  bool computes = true;     // computations take their time, or none
};

struct PredictedStep {
  RunResult result;                  // of one step, with its timeline
  std::vector<std::string> assumed;  // one line each
};

// Rank r of the whole workload is rank r of the graph. Throws Error(usage) for a graph that lacks something, or has fewer ranks;
// for a call that no algorithm serves, or whose prediction is too large.
[[nodiscard]] PredictedStep predict_step(const topo::Graph& graph, const Folded& folded, const StepQuestion& question);

// What the timeline says; without what the step takes alone.
[[nodiscard]] StepRecord record_of(const Workload& workload, const Timeline& timeline);

}  // namespace railgauge
