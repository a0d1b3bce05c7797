// Asks NVIDIA's management library all that railgauge wants to know of GPUs, and stores the answers as they come.
#pragma once

#include <string>

#include "topo/evidence/apart.hpp"
#include "topo/evidence/collectors.hpp"

namespace railgauge::topo {

// `library` as for dlopen. The text is JSON, "railgauge.nvml/1" (docs/topology.md): what could not be asked is in it as a number
// of NVML, and a driver that hung or crashed as one sentence "fault", beside all that was answered before.
[[nodiscard]] Taken read_nvml_library(const std::string& library, const Patience& patience);

}  // namespace railgauge::topo
