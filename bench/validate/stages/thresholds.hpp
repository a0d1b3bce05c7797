// Compares what all hosts together are asked to reach with the ceiling of their hardware, before anything is measured.
#pragma once

#include "bench/validate/stages/validation_run.hpp"

namespace railgauge::validate {

// Asks the hosts what they have, where there are thresholds at all. Throws Error(usage), with the arithmetic, for a threshold
// that no algorithm can reach on such hardware, and for any threshold of one host alone. What is unknown is not refused.
void check_thresholds(ValidationRun& run);

// What was asked for and has no figure, by names; `found` is told what was not read.
[[nodiscard]] std::vector<std::string> unanswered_thresholds(const ValidationOptions& options, validation::Validation& found);

}  // namespace railgauge::validate
