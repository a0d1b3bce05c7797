// The bandwidth of a machine's NICs, for the formulas of collectives.
#pragma once

#include <cstddef>

#include "topo/view.hpp"

namespace railgauge::topo {

// GB/s in each direction of the NIC at place `nic`: of its cables, else of its ports, and at most that of its slot; 0 is unknown.
[[nodiscard]] double nic_bandwidth(const View& view, std::size_t nic);

}  // namespace railgauge::topo
