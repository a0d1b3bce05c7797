// A fabric as text: its nodes, the rates of its cables, and the hosts of each switch.
#pragma once

#include <string>

#include "topo/graph.hpp"

namespace railgauge::topo {

// Whether this root node comes from the fabric alone: a switch, or a machine whose adapters are all that is known.
[[nodiscard]] bool is_of_fabric_alone(const Node& root);

// Empty when the graph has no switch; otherwise ends with a newline. Equal switches share one line.
[[nodiscard]] std::string draw_fabric(const Graph& graph);

}  // namespace railgauge::topo
