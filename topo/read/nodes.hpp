// How a reader makes a node of its source.
#pragma once

#include <string>
#include <utility>

#include "topo/graph.hpp"

namespace railgauge::topo {

// Appends a node without attributes; valid until the next is appended. `parent` is a key, empty for a machine. `source`: of
// Reading, the node's only provenance.
inline Node& add_node(Graph& graph, std::string key, Kind kind, std::string name, std::string parent, std::string source) {
  Node& node = graph.nodes.emplace_back();
  node.key = std::move(key);
  node.kind = kind;
  node.name = std::move(name);
  node.parent = std::move(parent);
  node.provenance = {std::move(source)};
  return node;
}

}  // namespace railgauge::topo
