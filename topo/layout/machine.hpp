// The layout of one machine: NUMA nodes as frames side by side, the PCIe tree as bars below each other, devices in one row at the
// bottom, those of one bar together; links between GPUs in a separate band.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "topo/layout/layout.hpp"
#include "topo/layout/machine_tree.hpp"
#include "topo/layout/marks.hpp"

namespace railgauge::topo::layout {

// Adds the machine to the picture, its upper edge at y = `top` pixels. Returns the y of its lower edge.
double add_machine(Picture& picture, const Index& index, const Marks& marks, std::size_t machine, double top);

// The card of a GPU, or of another device with such links, as the start of lines to the band.
struct Anchor {
  std::size_t node = Index::none;
  std::string name;
  double x = 0, width = 0, bottom = 0;  // of its card, pixels
};

// Adds the bands of NVLink and xGMI between x = left and x = right. The anchors are above y = bottom; with `several_rows` the
// band repeats them. Returns the y of the band's lower edge, or `bottom` when there are no such links.
double add_bands(Picture& picture, const Index& index, const Marks& marks, const std::vector<Anchor>& anchors, bool several_rows,
                 double left, double right, double bottom);

// A short summary of a machine: "2 packages, 64 cores, 512 GiB".
[[nodiscard]] std::string summary_of(const Index& index, std::size_t machine);

}  // namespace railgauge::topo::layout
