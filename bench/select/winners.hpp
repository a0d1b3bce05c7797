// What `railgauge bench tune` found out, for people.
#pragma once

#include <string>
#include <vector>

#include "reports/result.hpp"

namespace railgauge {

// Of the results of one run: a table for each collective and transport, with the fastest algorithm at each size, the runner-up
// and how much longer that one takes; then what was measured in fewer passes than `passes`, and what was never measured, with its
// reason.
[[nodiscard]] std::string winners_text(const std::vector<Result>& results, std::size_t passes);

}  // namespace railgauge
