// A fabric as a subnet manager leaves it: addresses, and tables that forward by them.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>

#include "topo/graph.hpp"
#include "topo/read/fabric.hpp"

namespace railgauge::test {

// The fabric's switches get tables by which each address is reached by a shortest path, one of several by chance. Hosts have LIDs
// from 1 on, in the order of the list.
struct Managed {
  topo::Graph graph;
  std::map<std::string, std::uint32_t> lids;                       // by key of the adapter
  std::map<std::string, std::map<std::uint32_t, unsigned>> ports;  // by key of the switch and LID
  std::map<std::string, std::map<std::string, unsigned>> hops;     // by keys of switch and adapter
};
[[nodiscard]] Managed manage(topo::Fabric fabric, std::mt19937& random);

}  // namespace railgauge::test
