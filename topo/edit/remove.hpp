// Takes nodes and links out of a graph.
#pragma once

#include <cstddef>
#include <vector>

#include "topo/fabric/fabric.hpp"
#include "topo/view.hpp"

namespace railgauge::topo::edit {

// By place.
struct Gone {
  explicit Gone(const Graph& graph) : nodes(graph.nodes.size()), links(graph.links.size()) {}
  std::vector<bool> nodes, links;
};

// What a node contains goes with it, and so do links that end at what is gone.
[[nodiscard]] Graph without(Graph graph, Gone gone);

// Marks switches that have lost all hosts and switches below; of a fabric without tiers none.
void mark_bare_switches(const fabric::Fabric& fabric, Gone& gone);

}  // namespace railgauge::topo::edit
