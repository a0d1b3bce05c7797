// NVML's answers (evidence/nvml.hpp) as a graph: GPUs, their partitions, NVSwitches, NVLink, NVLink-C2C and PCIe.
#pragma once

#include <string_view>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

[[nodiscard]] bool is_nvml(std::string_view text);

// Throws Error(usage) "ORIGIN: WHERE: what was expected, what stands there".
[[nodiscard]] Graph read_nvml(const Reading&);

}  // namespace railgauge::topo
