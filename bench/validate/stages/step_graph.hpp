// The hosts of a validation as a graph, as far as their messages were measured.
#pragma once

#include <vector>

#include "bench/validate/method/fleet.hpp"
#include "topo/graph.hpp"

namespace railgauge::validate {

// Below one switch without limits: each rank has a cable of its own of `between` GB/s, and where a host has several ranks, a link
// of `inside` GB/s to a switch that joins these. Ranks are hosts, or GPUs where a host has several: what a topology calls the
// endpoints of messages. `ranks` are those of each host, at least one.
[[nodiscard]] topo::Graph hosts_below_one_switch(const std::vector<Index>& ranks, double between, double inside);

}  // namespace railgauge::validate
