// Tables of a value for each pair of nodes: NUMA distances, bandwidth of links between GPUs.
#pragma once

#include <string>

#include "topo/graph.hpp"

namespace railgauge::topo {

// Empty when the graph has no links of these kinds; otherwise ends with a newline. A table with equal cells only is one line.
[[nodiscard]] std::string draw_distances(const Graph&);
[[nodiscard]] std::string draw_gpu_links(const Graph&);

}  // namespace railgauge::topo
