// The graph under construction and the node of each object, shared by the parts of the hwloc reader.
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
  std::unordered_map<const HwlocObject*, std::string> keys;  // of objects that became nodes or are part of one
  std::unordered_map<std::string, unsigned> taken;           // keys, and how often each was requested

  // Adds a node for `object`. A key that exists already (two devices with one address) gets a suffix "#2", "#3" ... The reference
  // is valid until the next node is added.
  Node& add(const HwlocObject* object, Kind kind, const std::string& key, const std::string& parent);
  void link(const std::string& a, const std::string& b, LinkKind kind, double nominal);
};

// Each sets or extends an attribute; an empty text and 0 are left out.
void put(Attributes& attributes, const char* name, std::string text);
void put(Attributes& attributes, const char* name, std::uint64_t number);
void append(Attributes& attributes, const char* name, std::string text);

// Adds the PCIe trees and the operating system's devices below the objects of `walk`.
void add_hwloc_io(HwlocWalk& walk);

}  // namespace railgauge::topo
