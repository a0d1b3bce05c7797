// Reads the evidence of a live InfiniBand fabric: the NodeInfo and PortInfo of its nodes and ports.
#pragma once

#include <string_view>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

[[nodiscard]] bool is_ibfabric(std::string_view text);

// The graph has active rates, rates that both ends support, states and LIDs. A PortInfo of zeros means that the port did not
// answer: its rate is unknown. Throws Error(usage) that names the line.
[[nodiscard]] Graph read_ibfabric(const Reading&);

}  // namespace railgauge::topo
