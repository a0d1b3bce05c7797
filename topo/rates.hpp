// Rates and bandwidths of each generation of PCIe and NVLink.
#pragma once

#include <string_view>

#include "topo/graph.hpp"

namespace railgauge::topo {

// `generation` is 1 to 7; any other gives speed 0. `width` is lanes.
[[nodiscard]] Rate pcie_rate(unsigned generation, unsigned width);

// GB/s of all lanes in each direction. Zeros when no generation has that speed (2.5 to 128 gigatransfers per second) or the
// width is 0.
[[nodiscard]] Bandwidth pcie_bandwidth(const Rate& rate);

struct NvlinkGeneration {
  std::string_view name;  // "4.0"
  unsigned nvml;          // the number of nvmlDeviceGetNvLinkVersion
  Rate rate;              // of one link, signalling rate, coding included; zeros are unknown
  Bandwidth bandwidth;    // of one link
};

// By NVML's number, or when that is 0 by the GPU's compute capability (`major`.`minor`). The RTX 3090 and A6000 (8.6) have slower
// links than others of their generation. nullptr when neither is known. Static storage.
[[nodiscard]] const NvlinkGeneration* nvlink_generation(unsigned nvml, unsigned major, unsigned minor) noexcept;

// The first generation one link of which has that line rate or nominal bandwidth; nullptr when none has.
[[nodiscard]] const NvlinkGeneration* nvlink_generation_at(double gigabytes) noexcept;

}  // namespace railgauge::topo
