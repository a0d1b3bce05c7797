// The picture of one machine: NUMA nodes as frames side by side, the PCIe tree as bars below each other, devices in one row at
// its bottom, so that what hangs on one bar stands together; links between GPUs in a band of their own.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "topo/layout/layout.hpp"
#include "topo/layout/machine_tree.hpp"

namespace railgauge::topo::layout {

// Adds the machine to the picture below what is there, `top` pixels from its upper edge. Returns the y of its lower edge.
double add_machine(Picture& picture, const Index& index, std::size_t machine, double top);

// A GPU, or what else has links of its own kind to GPUs, as the band sees it.
struct Anchor {
  std::size_t node = Index::none;
  std::string name;
  double x = 0, width = 0, bottom = 0;  // of its card
};

// Adds the bands of NVLink and xGMI between x = left and right. `anchors` stand above y = bottom; when in `several_rows`,
// the band shows them again. Returns the y of its lower edge; `bottom` when there are no such links.
double add_bands(Picture& picture, const Index& index, const std::vector<Anchor>& anchors, bool several_rows, double left,
                 double right, double bottom);

// "one short sentence" per machine: "2 packages, 64 cores, 512 GiB".
[[nodiscard]] std::string summary_of(const Index& index, std::size_t machine);

}  // namespace railgauge::topo::layout
