// The cables that data crosses between hosts, by the forwarding tables of the switches.
#pragma once

#include "bench/validate/method/fleet.hpp"
#include "topo/graph.hpp"

namespace railgauge::validate {

// Takes a fleet whose switches, cables and attachments are those of the graph (fabric.hpp). The result is empty where a switch
// has no table (attribute "routes") or no host has an address; it keeps neither fleet nor graph. A pair whose route leads to a
// switch or a port that the fleet lacks has no hops.
[[nodiscard]] Route routes_of(const Fleet& fleet, const topo::Graph& graph);

}  // namespace railgauge::validate
