// A fabric in words: what there is, what its cables carry, and what hangs on each switch.
#pragma once

#include <string>

#include "topo/graph.hpp"

namespace railgauge::topo {

// Whether this node is of the fabric alone: a switch, or a machine of which nothing but its adapters is known.
[[nodiscard]] bool is_of_fabric_alone(const Node& root);

// Empty when there is no switch; ends with a newline otherwise. Of many switches that are alike one line speaks.
[[nodiscard]] std::string draw_fabric(const Graph& graph);

}  // namespace railgauge::topo
