// Draws the conclusion of a validation from its findings.
#pragma once

#include <string>
#include <vector>

#include "reports/validation/validation.hpp"

namespace railgauge::validate {

// Fills the outcome and its sentence, and sorts the findings to the front, the worst first. `unanswered` names what was asked for
// and not measured: neither then, nor while a host was not measured, does a validation pass.
void conclude(validation::Validation& found, bool interrupted, const std::vector<std::string>& unanswered = {});

}  // namespace railgauge::validate
