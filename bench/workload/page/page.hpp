// A run of training steps as one page for a browser: its figures, and the timeline of the median step.
#pragma once

#include <span>
#include <string>

#include "bench/workload/analyse/comparison.hpp"
#include "bench/workload/step_record.hpp"
#include "bench/workload/workload.hpp"

namespace railgauge {

// `how`: over which transport, with which computations. Where the result has no timeline, as after a rank was lost, the figures
// of the finished steps alone. The result has at least one step. A section for each comparison.
[[nodiscard]] std::string page_of_step(const Workload& workload, const RunResult& result, const std::string& how,
                                       std::span<const Comparison> comparisons = {});

}  // namespace railgauge
