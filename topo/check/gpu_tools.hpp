// Who made a GPU, and which of its maker's tools tell of its links.
#pragma once

#include <cstdint>
#include <string>

#include "topo/graph.hpp"

namespace railgauge::topo {

enum class GpuVendor : std::uint8_t { unknown, nvidia, amd, intel };

// By the PCI number where it is known, else by the name and by the source that read it.
[[nodiscard]] GpuVendor vendor_of(const Node& gpu);

// What to do about a link of this GPU that is down or slow: names the tool of its vendor. No final dot.
[[nodiscard]] std::string advice_on_links(GpuVendor);

}  // namespace railgauge::topo
