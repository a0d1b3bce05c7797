// Fabrics of any size, made up for tests of pictures.
#pragma once

#include <string>

#include "topo/graph.hpp"

namespace railgauge::test {

// Leaves of `hosts_per_leaf` hosts in units of one leaf a rail; each leaf has a link to each of `spines`. Names: "node00001",
// "leaf-u01-r0", "spine01".
[[nodiscard]] topo::Graph rail_optimised(unsigned hosts, unsigned rails, unsigned hosts_per_leaf, unsigned spines);
[[nodiscard]] topo::Graph torus(unsigned x, unsigned y, unsigned z);  // one host a switch, "s-X-Y-Z"
[[nodiscard]] topo::Graph dragonfly(unsigned groups, unsigned switches);

// The link between two nodes, or between a node's NIC and another; throws std::runtime_error when there is none.
[[nodiscard]] topo::Link& link_between(topo::Graph& graph, const std::string& a, const std::string& b);

}  // namespace railgauge::test
