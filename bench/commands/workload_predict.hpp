// `railgauge workload --topology`: what a step would take on a topology, from its options to its exit code.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/commands/predict_options.hpp"
#include "bench/workload/workload.hpp"

namespace railgauge {

struct WorkloadPrediction {
  std::string name;  // of the workload, for people
  // The workload of so many ranks, as it is to be costed; with the list of one rank alone, or with those of all.
  std::function<Workload(std::optional<int> ranks, std::optional<int> only_rank)> make;
  std::vector<int> ranks;  // none: as many as it has by itself; several: a curve
  PredictOptions links;
  std::string transport;  // among the measured ones
  std::vector<std::string> algorithms, outputs, beside;
  bool computes = true;
};

// Returns the exit code. Throws Error.
[[nodiscard]] int predict_workload(const WorkloadPrediction& given);

}  // namespace railgauge
