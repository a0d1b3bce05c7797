// Which ports the lanes of a rank use: those nearest to its cores.
#pragma once

#include <string>
#include <vector>

#include "topo/ports.hpp"
#include "transports/transport.hpp"

namespace railgauge {

// Collective. The ports for the lanes of this rank, in turn, from the topology of its host, which the first rank there reads.
// Empty where it tells of no port: then the transport chooses.
[[nodiscard]] std::vector<std::string> ports_of_rank(Group& group);

// Where the lanes of this rank stand, for a transport that asks for it (Abilities::ports). Collective.
[[nodiscard]] Place make_place(Group& group, const Transport& transport, std::size_t lanes);

// The same for rank `me` of those of a host, of whose cores rank i has those on the NUMA nodes `nodes[i]`: the ports on its
// nodes, or all where there are none or it has no node, dealt out among the ranks that have the same, each beginning with
// another.
[[nodiscard]] std::vector<std::string> nearest_ports(const std::vector<topo::ComputePort>& ports,
                                                     const std::vector<std::vector<std::string>>& nodes, std::size_t me);

}  // namespace railgauge
