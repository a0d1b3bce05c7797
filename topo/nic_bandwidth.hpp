// What NICs carry: the one place that knows where sources write it (cables, or the link between a NIC and its port).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "topo/view.hpp"

namespace railgauge::topo {

// GB/s in each direction: what the cables carry that are up, else the rate of the ports, and no more than the NIC's slot. 0 where
// all ports are down; nothing where a port that may be up tells no rate. A port that two sources tell of counts once.
[[nodiscard]] std::optional<double> nic_bandwidth(const View& view, std::size_t nic);

struct NicsTogether {
  double bandwidth = 0;              // GB/s of those that tell theirs; functions of one card share its slot
  double fastest = 0;                // of one NIC
  unsigned told = 0;                 // how many tell theirs and carry anything
  std::vector<std::size_t> unknown;  // places of the others, without those whose ports are all down
};
[[nodiscard]] NicsTogether nics_together(const View& view, std::span<const std::size_t> nics);

}  // namespace railgauge::topo
