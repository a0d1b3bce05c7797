// How long a training step should take between hosts whose pairs were measured.
#pragma once

#include <string>

#include "base/units.hpp"
#include "bench/validate/stages/validation_run.hpp"

namespace railgauge::validate {

struct PredictedTime {
  Seconds seconds{};  // 0: there is none
  std::string basis;  // what it is reckoned from, or why there is none
};

// Of so many hosts with one rank each, below one switch: each port carries what pairs of hosts did in the median, and nothing
// else is shared. `model` and `scale` as in StepTask.
[[nodiscard]] PredictedTime predicted_step(const ValidationRun& run, int ranks, const std::string& model, double scale);

}  // namespace railgauge::validate
