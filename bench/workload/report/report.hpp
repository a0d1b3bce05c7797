// What a run of steps tells, as text for people.
#pragma once

#include <string>

#include "bench/workload/analyse/comparison.hpp"
#include "bench/workload/step_record.hpp"
#include "bench/workload/workload.hpp"

namespace railgauge {

// `how`: over which transport, with which computations. Where the result has no timeline, as after a rank was lost, what follows
// from the steps alone. Empty where no step was finished.
[[nodiscard]] std::string report_of(const Workload& workload, const RunResult& result, const std::string& how);

// Its title, and a line for each time: both, and the difference in percent.
[[nodiscard]] std::string comparison_text(const Comparison& comparison);

}  // namespace railgauge
