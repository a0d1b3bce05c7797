// Fabrics whose switches are equals: dragonfly and torus.
#pragma once

#include <array>

#include "topo/generate/assembly.hpp"
#include "topo/generate/hosts.hpp"

namespace railgauge::topo {

// Kim, Dally, Scott, Abts: Technology-Driven, Highly-Scalable Dragonfly Topology (ISCA 2008). Balanced: routers of a group are
// twice the links of a router to hosts, and those to other groups as many as those to hosts.
struct DragonflyPlan {
  unsigned hosts = 0;    // of each router
  unsigned routers = 0;  // of each group, each joined with each other one
  unsigned global = 0;   // links of each router to other groups
  unsigned groups = 0;
};
// Each pair of groups has equally many links, as many as there are ports for.
void build_dragonfly(Assembly&, const DragonflyPlan&, const HostPorts&, const Rate&);

// A grid of switches that ends where it begins; a side of 1 has no links, one of 2 has two links between each pair.
struct TorusPlan {
  std::array<unsigned, 3> sides{1, 1, 1};
  unsigned hosts = 0;  // of each switch
};
void build_torus(Assembly&, const TorusPlan&, const HostPorts&, const Rate&);

}  // namespace railgauge::topo
