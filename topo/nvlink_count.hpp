// How many NVLinks a link stands for, where a source tells their bandwidth alone.
#pragma once

#include <optional>

#include "topo/graph.hpp"

namespace railgauge::topo {

// The number that a source told; of hwloc's bandwidth the number that follows from what one link of the GPU's generation carries.
// Nothing where the GPU is of none that is known, where the bandwidth is no multiple of it, and of xGMI in hwloc's words.
[[nodiscard]] std::optional<unsigned> count_of_links(const Link& link, const Node& a, const Node& b);

}  // namespace railgauge::topo
