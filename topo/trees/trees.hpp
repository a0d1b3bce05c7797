// Out-trees that together come as near to the bound of a network as so many can: what a schedule for it sends along.
#pragma once

#include <cstdint>
#include <vector>

#include "topo/bound/bound.hpp"
#include "topo/network/network.hpp"
#include "topo/trees/demand.hpp"

namespace railgauge::topo {

// From a root to every other rank. Several equal trees are one with a count.
struct OutTree {
  static constexpr auto none = static_cast<std::uint32_t>(-1);
  struct Branch {
    std::int32_t from = 0, to = 0;  // ranks
    std::uint32_t depth = 0;        // branches between the root and `from`
    // Places in Forest::paths: that of `from` to a switch, and that of `to` to the same switch. none: the path is not known.
    std::uint32_t up = none, down = none;
  };
  std::int32_t root = 0;
  std::int64_t count = 1;
  std::vector<Branch> branches;  // each behind the one that leads to its `from`
  [[nodiscard]] std::uint32_t height() const;
};

struct Forest {
  std::int64_t trees = 0;                         // that each root has
  double rate = 0;                                // megabytes per second that each tree carries, all of them at once
  double share = 0;                               // of what the bound allows each root to send, that its trees carry
  std::vector<OutTree> list;                      // by root
  std::vector<std::vector<std::uint32_t>> paths;  // vertices of the network, from a rank to a switch
  [[nodiscard]] std::uint32_t height() const;
};

struct ForestOptions {
  std::int32_t root = -1;       // the only rank where trees begin; -1: every rank
  std::int64_t most_trees = 8;  // of a root
  bool general = false;         // whether to pack as on any graph, though tiers of switches would do: for tests
};
inline constexpr std::size_t most_split = 256;  // ranks of a graph that is none of tiers

// As few trees a root as reach 0.99 of the bound, or the number of those allowed that reaches most. Where tiers of switches join
// the ranks and trees that enter each group of ranks once (relay.hpp) reach that, these are taken: they are shallow, and quickly
// found. Else switches are removed and trees packed, as is possible on any graph of up to most_split ranks; of more, trees along
// tiers that reach half of the bound and more are taken. Every link carries the same in both directions. Switches copy nothing:
// what a tree sends to two ranks leaves its sender twice. Throws Error(usage) for fewer than two ranks, a root that does not
// exist, links that do not, and more ranks than can be packed.
[[nodiscard]] Forest forest_of(const Network& network, const ForestOptions& options);

// The steps of it. Removes the vertices that are no ranks: capacity through them becomes capacity between ranks, as much as all
// trees need (edge splitting: Bang-Jensen, Frank and Jackson 1995). Precondition: no shortfall, and of each vertex that is no
// rank as much enters as leaves.
void remove_switches(Capacities&, const Demand&);
// Precondition: no shortfall, and no capacity at other vertices than the ranks. Grows equal trees together (Berczi and Frank
// 2010).
[[nodiscard]] std::vector<OutTree> pack(const Capacities&, const Demand&);

}  // namespace railgauge::topo
