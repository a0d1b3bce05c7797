// What all that was found comes to.
#pragma once

#include <string>
#include <vector>

#include "reports/validation/validation.hpp"

namespace railgauge::validate {

// Fills outcome and sentence, and puts findings first, the worst first. `unanswered`: what was asked for and not measured;
// with it, and with hosts that were not measured, nothing has passed.
void conclude(validation::Validation& found, bool interrupted, const std::vector<std::string>& unanswered = {});

}  // namespace railgauge::validate
