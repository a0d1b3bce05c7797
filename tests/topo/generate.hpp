// Fabrics that nobody owns: of any size and shape, with faults put in, for tests and for trying pictures.
#pragma once

#include <string>
#include <vector>

#include "topo/read/fabric.hpp"

namespace railgauge::test {

// Hosts are "node00001", their adapters "mlx5_0" and on, with one port each; switches have their place in their name. All links
// are 4x NDR. to_graph() of topo/read/fabric.hpp makes the graph, after faults have been put in.

// Three tiers of switches with k ports, k even: k pods of k/2 leaves and k/2 spines, k*k/4 cores, k*k*k/4 hosts.
[[nodiscard]] topo::Fabric fat_tree(unsigned k);

// Leaves with so many links to each of `spines`; leaf k has hosts[k] hosts with one adapter each.
[[nodiscard]] topo::Fabric two_tiers(const std::vector<unsigned>& hosts, unsigned spines, unsigned links = 1);

// Units of 32 hosts, each with `rails` leaves: adapter r of each host of a unit is on leaf r. Up to 64 leaves share 32 spines;
// more have spines of their own for each rail and 32 units, and cores above them.
[[nodiscard]] topo::Fabric rail_optimised(unsigned hosts, unsigned rails = 8);

// `groups` of switches of which every pair is joined, each with so many hosts and links to other groups.
[[nodiscard]] topo::Fabric dragonfly(unsigned groups, unsigned switches, unsigned hosts, unsigned global_links);

// Switches at each point of a grid that ends where it begins. A side of 1 has no links, one of 2 has two between each pair.
[[nodiscard]] topo::Fabric torus(unsigned x, unsigned y, unsigned z, unsigned hosts);

// A node's place by its description, "node00007 mlx5_3"; of a switch the system's name is enough, "leaf-u01-r3". Throws
// std::runtime_error when there is none.
[[nodiscard]] std::size_t place_of(const topo::Fabric& fabric, const std::string& name);

// The cables of two nodes' ports change places.
void swap_cables(topo::Fabric& fabric, const std::string& a, unsigned a_port, const std::string& b, unsigned b_port);

// Both ends of the cable of this port say this rate.
void set_rate(topo::Fabric& fabric, const std::string& name, unsigned port, const topo::Rate& rate);

// The cable is gone; both ports are down.
void unplug(topo::Fabric& fabric, const std::string& name, unsigned port);

}  // namespace railgauge::test
