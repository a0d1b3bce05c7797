// How long a training step should take between hosts whose pairs were measured.
#pragma once

#include <optional>
#include <string>

#include "base/units.hpp"
#include "bench/predict/measured/samples.hpp"
#include "bench/validate/stages/validation_run.hpp"

namespace railgauge::validate {

struct PredictedTime {
  Seconds seconds{};  // 0: there is none
  std::string basis;  // what it is reckoned from, or why there is none
};

// Measures what messages between the ranks of a host take, over the transport of the run, on all hosts at the same time: ranks 0
// and 1, 2 and 3 and so on. Nothing where no host has several ranks, or none ended what it was to do.
[[nodiscard]] std::optional<predict::Measured> measure_inside(ValidationRun& run, const std::string& stage);

// Of living hosts below one switch: each rank's port carries what pairs of hosts did in the median, ranks of one host what
// `inside` has, and nothing else is shared. `model` and `scale` as in StepTask.
[[nodiscard]] PredictedTime predicted_step(const ValidationRun& run, const std::optional<predict::Measured>& inside,
                                           const std::string& model, double scale);

}  // namespace railgauge::validate
