// Reads NVML's answers (topo/evidence/nvml.hpp) as a graph: GPUs, their partitions, NVSwitches, NVLink, NVLink-C2C and PCIe.
#pragma once

#include <string_view>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

[[nodiscard]] bool is_nvml(std::string_view text);

// Throws Error(usage) "ORIGIN: WHERE: expected ..., ...", where WHERE is a path in the JSON.
[[nodiscard]] Graph read_nvml(const Reading&);

}  // namespace railgauge::topo
