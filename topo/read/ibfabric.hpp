// The reading of a live InfiniBand fabric: what nodes and ports answered (NodeInfo, PortInfo), interpreted.
#pragma once

#include <string_view>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

[[nodiscard]] bool is_ibfabric(std::string_view text);

// Widths and speeds that are active and that both ends support, states, LIDs. A PortInfo of zeros is one that was not answered:
// unknown, not a link without width. Throws Error(usage) that names the line.
[[nodiscard]] Graph read_ibfabric(const Reading&);

}  // namespace railgauge::topo
