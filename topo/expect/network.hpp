// What the NICs of a machine carry, for the formulas of collectives.
#pragma once

#include <cstddef>

#include "topo/view.hpp"

namespace railgauge::topo {

// GB/s in each direction: what its cables carry, or as fast as its ports say they are, and no more than its slot; 0 is unknown.
[[nodiscard]] double nic_bandwidth(const View& view, std::size_t nic);

}  // namespace railgauge::topo
