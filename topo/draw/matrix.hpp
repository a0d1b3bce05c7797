// Tables of what joins each two nodes: NUMA distances, links between GPUs.
#pragma once

#include <string>

#include "topo/graph.hpp"

namespace railgauge::topo {

// Empty when the graph has no links of these kinds; ends with a newline otherwise. A table whose cells are all equal is one line.
[[nodiscard]] std::string draw_distances(const Graph&);
[[nodiscard]] std::string draw_gpu_links(const Graph&);

}  // namespace railgauge::topo
