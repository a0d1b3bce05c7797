// Graphs from a list of links: GPUs and switches, and what each link carries.
#pragma once

#include <vector>

#include "topo/graph.hpp"

namespace railgauge::test {

struct Wire {
  unsigned a = 0, b = 0;  // GPUs from 0 on, and switches behind them
  double gigabytes = 0;   // per second in each direction; 0 is unknown
};

// GPUs "g0", "g1", ... and NVSwitches "s0", "s1", ... of one machine.
[[nodiscard]] topo::Graph wired(unsigned gpus, unsigned switches, const std::vector<Wire>& wires);

}  // namespace railgauge::test
