// Out-trees along tiers: each enters a group of ranks once and spreads inside of it, so that few branches cross what is narrow.
#pragma once

#include <cstdint>
#include <vector>

#include "topo/trees/demand.hpp"
#include "topo/trees/tiers.hpp"
#include "topo/trees/trees.hpp"

namespace railgauge::topo {

// How many trees each half of a wire can carry.
using HalfCapacities = std::vector<std::int64_t>;
[[nodiscard]] HalfCapacities scaled_halves(const Wires& wires, std::uint64_t parts_of_megabyte, std::uint64_t rate);

// Whether what enters and leaves each group is enough for one entry of each tree: without it relay() finds nothing.
[[nodiscard]] bool may_relay(const Tiers& tiers, const HalfCapacities& capacities, const Demand& demand);

// The trees, one by one, in the order of their roots; every branch has its path, and together they use no more than the
// capacities. Each is as shallow as leaves enough for the others, at an even pace: `weight_of_depth` is what a branch more to
// the root counts against the share of capacity that is left. Nothing where that does not come out, which does not say that
// there are no such trees. Time: some hundred steps a branch.
[[nodiscard]] std::vector<OutTree> relay(const Tiers& tiers, const HalfCapacities& capacities, const Demand& demand,
                                         double weight_of_depth);

}  // namespace railgauge::topo
