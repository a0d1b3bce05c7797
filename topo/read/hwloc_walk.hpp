// What the two halves of the hwloc reader share: the graph being made, and which object became which node.
#pragma once

#include <string>
#include <unordered_map>
#include <unordered_set>

#include "topo/graph.hpp"
#include "topo/read/hwloc_tree.hpp"

namespace railgauge::topo {

struct HwlocWalk {
  const HwlocTree& tree;
  Graph& graph;
  std::unordered_map<const HwlocObject*, std::string> keys;  // of objects that became nodes, or that belong to one
  std::unordered_map<std::string, unsigned> taken;           // keys, and how often each was wanted

  // Adds a node for `object`; a key that is taken already (two devices of one address) gets "#2", "#3" ... behind it.
  // The reference holds until the next node is added.
  Node& add(const HwlocObject* object, Kind kind, const std::string& key, const std::string& parent);
  void link(const std::string& a, const std::string& b, LinkKind kind, double nominal);
};

// Leaves out what is empty.
void put(Attributes& attributes, const char* name, std::string text);
void put(Attributes& attributes, const char* name, std::uint64_t number);
void append(Attributes& attributes, const char* name, std::string text);

// Adds what hangs under the objects of `walk`: PCIe trees and devices of the operating system.
void add_hwloc_io(HwlocWalk& walk);

}  // namespace railgauge::topo
