// What the two halves of the reader of hwloc XML share: the document, the objects made from it and where they are found again.
#pragma once

#include <pugixml.hpp>
#include <string>
#include <unordered_map>

#include "topo/read/hwloc_tree.hpp"

namespace railgauge::topo {

struct HwlocDocument {
  std::string_view text, origin;
  unsigned version = 1;  // before 1.0 it is 0
  HwlocTree tree;
  std::vector<HwlocObject*> numa;  // in the order of the file
  std::unordered_map<std::uint64_t, HwlocObject*> by_gp_index, numa_by_os_index;

  // Throws Error(usage) with the line of `element`.
  [[noreturn]] void fail(pugi::xml_node element, const std::string& what) const;
};

// Adds the distances that versions before 2 wrote inside the outermost object.
void add_old_distances(HwlocDocument& document, pugi::xml_node object);
// Adds what stands behind the objects: matrices, bandwidths of memory.
void add_hwloc_tables(HwlocDocument& document, pugi::xml_node topology);

// The number that `text` begins with, as C reads it; 0 when it begins with none.
[[nodiscard]] std::uint64_t hwloc_number(std::string_view text);

}  // namespace railgauge::topo
