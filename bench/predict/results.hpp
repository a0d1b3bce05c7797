// An answer as results of the kind that `railgauge bench` writes, so that its formats and the page of `railgauge report` take it.
#pragma once

#include <string>
#include <vector>

#include "bench/predict/predict.hpp"
#include "reports/result.hpp"

namespace railgauge::predict {

// One for each algorithm and size, of status predicted, without samples: `predicted` is the time, `reason` the busiest link, and
// `expected` the bound where there is one. What could not be predicted is skipped with its reason. Settings have what was
// assumed. `run` is the name of the run; of a change there are two.
[[nodiscard]] std::vector<Result> to_results(const Answer& answer, const std::string& run);

}  // namespace railgauge::predict
