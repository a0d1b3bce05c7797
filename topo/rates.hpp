// What one link of each generation of PCIe and NVLink carries: the tables behind line, nominal and usable bandwidth.
#pragma once

#include <string_view>

#include "topo/graph.hpp"

namespace railgauge::topo {

// generation 1 to 7; another one has speed 0.
[[nodiscard]] Rate pcie_rate(unsigned generation, unsigned width);

// Of all lanes, each direction. Zeros where the speed (2.5 to 128 gigatransfers per second) is none of PCIe's, or the width is 0.
[[nodiscard]] Bandwidth pcie_bandwidth(const Rate& rate);

struct NvlinkGeneration {
  std::string_view name;  // "4.0"
  unsigned nvml;          // nvmlDeviceGetNvLinkVersion's number
  Rate rate;              // of one link, as its signals go, coding included; zeros where nobody has told
  Bandwidth bandwidth;    // of one link
};

// By the number that NVML gives, or, where it is 0, by what links a GPU of that compute capability has. The RTX 3090 and A6000
// (8.6) have slower links than others of their generation. nullptr when neither is known. Static storage.
[[nodiscard]] const NvlinkGeneration* nvlink_generation(unsigned nvml, unsigned major, unsigned minor) noexcept;

}  // namespace railgauge::topo
