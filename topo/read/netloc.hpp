// Files of netloc, hwloc's tool for networks: nodes and links of an InfiniBand subnet ("IB-SUBNET-nodes.txt").
#pragma once

#include <string_view>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

[[nodiscard]] bool is_netloc(std::string_view text);

// Format 1, which netloc of hwloc 2 writes. Partitions and paths are passed over. Throws Error(usage) that names the line.
[[nodiscard]] Graph read_netloc(const Reading&);

}  // namespace railgauge::topo
