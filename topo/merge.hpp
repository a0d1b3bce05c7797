// Merges the graphs of several sources or several machines into one.
#pragma once

#include <string>

#include "topo/graph.hpp"

namespace railgauge::topo {

// Adds the content of `from` to `into`. Nodes are the same when their keys are equal, or their attributes "uuid" or "node_guid";
// links when their nodes, ports and kinds are. Where both graphs have a value, that of `into` stays, except that the kind
// `device`, the number zero and an unknown state are replaced. A PCIe link from a machine or a NUMA node is the same as another
// source's link from the device's bridge. Nodes are in depth-first order afterwards.
void merge(Graph& into, Graph from);

// Makes the keys of a machine unique among machines, before merging several: the key of the machine becomes `host`, and "host/"
// precedes all other keys except GUIDs and ports of GUIDs.
void qualify(Graph& graph, const std::string& host);

// Puts parents before children and keeps the order among children. A node whose parent is not in the graph becomes a root.
void sort_depth_first(Graph& graph);

}  // namespace railgauge::topo
