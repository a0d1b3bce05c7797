// The text of the results of `railgauge bench tune`.
#pragma once

#include <string>
#include <vector>

#include "reports/result.hpp"

namespace railgauge {

// For the results of one run: a table for each collective and transport, with the fastest algorithm at each size, the runner-up
// and the ratio of their times; then the cases that were measured in fewer passes than `passes`, and those never measured, with
// the reason.
[[nodiscard]] std::string winners_text(const std::vector<Result>& results, std::size_t passes);

}  // namespace railgauge
