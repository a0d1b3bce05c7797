// How near two devices are in the tree of their machine.
#pragma once

#include <compare>
#include <cstddef>

#include "topo/view.hpp"

namespace railgauge::topo {

// Smaller is nearer. Devices of two machines have the default.
struct Nearness {
  unsigned rank = 5;  // their lowest common ancestor: 0 bridge or switch, 1 PCIe root, 2 NUMA node, 3 package, 4 machine, 5 none
  std::size_t hops = 0;  // edges of the tree between them
  friend auto operator<=>(const Nearness&, const Nearness&) = default;
};
[[nodiscard]] Nearness nearness(const View& view, std::size_t a, std::size_t b);  // places of nodes

}  // namespace railgauge::topo
