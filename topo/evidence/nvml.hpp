// Queries NVIDIA's management library (NVML) for all that railgauge needs of GPUs, and stores the raw answers.
#pragma once

#include <string>

#include "topo/evidence/apart.hpp"
#include "topo/evidence/collectors.hpp"

namespace railgauge::topo {

// `library` as for dlopen. The text is JSON, "railgauge.nvml/1" (docs/topology.md). It holds NVML's return code for each query
// that was refused, and one sentence "fault" for a driver that hung or crashed, beside all earlier answers.
[[nodiscard]] Taken read_nvml_library(const std::string& library, const Patience& patience);

}  // namespace railgauge::topo
