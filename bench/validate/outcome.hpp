// What all that was found comes to.
#pragma once

#include "reports/validation/validation.hpp"

namespace railgauge::validate {

// Fills outcome and sentence, and puts accusations first, the worst first. Hosts that no verdict names and that were measured are
// good.
void conclude(validation::Validation& found, bool interrupted);

}  // namespace railgauge::validate
