// Merges the graphs of several sources or several machines into one.
#pragma once

#include <cstdint>
#include <string>

#include "topo/graph.hpp"

namespace railgauge::topo {

enum class MergeScope : std::uint8_t {
  several,   // what the two know may be of different machines
  one_host,  // sources of one machine: devices are also the same by NVML's number of a GPU, and by the kernel's names of NICs
};

// Adds what `from` knows to `into`. Nodes are the same when their keys are, or their attributes "uuid" or "node_guid"; links when
// they join the same ends and ports and are of one kind. Where both know something `into` is believed, except that a kind that
// says nothing (device), a number of zero and an unknown state give way. A PCIe link that begins at a machine or a NUMA node is
// the one by which another source hangs the device on its bridge. A UUID that is blacked out, that several nodes of one graph
// have, or that a device of another machine has, joins nothing. Nodes stand in depth-first order afterwards.
void merge(Graph& into, Graph from, MergeScope scope = MergeScope::several);

// Makes the keys of a machine unique among machines, before merging several: the key of the machine becomes `host`, and "host/"
// precedes all other keys except GUIDs and ports of GUIDs.
void qualify(Graph& graph, const std::string& host);

// Puts parents before children and keeps the order among children. A node whose parent is not in the graph becomes a root.
void sort_depth_first(Graph& graph);

}  // namespace railgauge::topo
