// What all hosts together are asked to reach, compared with what their hardware could at most, before anything is measured.
#pragma once

#include "bench/validate/stages/validation_run.hpp"

namespace railgauge::validate {

// Asks the hosts what they have, where anything is asked of them at all. Throws Error(usage), with the arithmetic, for what no
// algorithm can reach on such hardware, and for one host alone. What cannot be known is not refused.
void check_thresholds(ValidationRun& course);

}  // namespace railgauge::validate
