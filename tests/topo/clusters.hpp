// Clusters of equal machines, generated for what their collectives can reach.
#pragma once

#include <string>

#include "topo/graph.hpp"

namespace railgauge::test {

// Machines with GPUs, joined by one switch. GB/s each direction.
struct Cluster {
  std::string gpu;
  unsigned machines = 1, gpus = 8;  // GPUs of each
  double link = 0;                  // of each GPU: to NVSwitches, or, where `mesh`, to each other one
  bool mesh = false;
  bool rack = false;   // one domain of NVSwitches for all machines
  unsigned racks = 1;  // domains, where `rack`
  unsigned nics = 0;   // of each machine
  double nic = 0;
  bool sharp = false;
  double pcie = 63;
  double c2c = 0;
};

// Machines "m0", ..., of which each has "m0/numa0", "m0/gpu0", ... and "m0/nic0", ... with one port.
[[nodiscard]] topo::Graph build(const Cluster& cluster);

}  // namespace railgauge::test
