// An hwloc XML document with its objects and their indices, shared by the parts of its reader.
#pragma once

#include <pugixml.hpp>
#include <string>
#include <unordered_map>

#include "topo/read/hwloc_tree.hpp"

namespace railgauge::topo {

struct HwlocDocument {
  std::string_view text, origin;
  unsigned version = 1;  // 0 before 1.0
  HwlocTree tree;
  std::vector<HwlocObject*> numa;  // in the order of the file
  std::unordered_map<std::uint64_t, HwlocObject*> by_gp_index, numa_by_os_index;

  // Throws Error(usage) with the line of `element`.
  [[noreturn]] void fail(pugi::xml_node element, const std::string& what) const;
};

// Adds the distances that versions before 2 wrote inside the outermost object.
void add_old_distances(HwlocDocument& document, pugi::xml_node object);
// Adds the elements after the objects: matrices, and bandwidths of memory.
void add_hwloc_tables(HwlocDocument& document, pugi::xml_node topology);

// The number at the beginning of `text`, in C notation; 0 when there is none.
[[nodiscard]] std::uint64_t hwloc_number(std::string_view text);

}  // namespace railgauge::topo
