// The parts of the page, made of headings, sentences and tables; where a chart belongs an empty element with data-chart waits for
// the script.
#pragma once

#include <string>
#include <vector>

#include "reports/validation/matrix.hpp"
#include "reports/validation/validation.hpp"
#include "reports/web/frame.hpp"

namespace railgauge::validation {

// By severity. Without charts the tables are open, since they are all there is.
[[nodiscard]] std::vector<web::Section> sections_of(const Validation& validation, const std::vector<double>& shares,
                                                    const ShareMatrices& matrices, bool charts);

}  // namespace railgauge::validation
