// A built-in workload by its name, for a number of ranks.
#pragma once

#include <optional>
#include <string>

#include "bench/workload/workload.hpp"

namespace railgauge::models {

// As the model was trained, fitted to the ranks; `only_rank`: with the list of that rank alone. Throws Error(usage), which names
// the models where there is none of this name.
void expect_model(const std::string& name);  // throws so
[[nodiscard]] Workload fitted_workload(const std::string& name, int ranks, std::optional<int> only_rank = {});

}  // namespace railgauge::models
