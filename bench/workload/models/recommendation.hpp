// Recommendation models: embedding tables that are exchanged all to all, networks that every rank has.
#pragma once

#include "bench/workload/models/models.hpp"

namespace railgauge::models {

[[nodiscard]] Workload make_dlrm(const Options& options);

}  // namespace railgauge::models
