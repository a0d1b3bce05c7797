// Ranks in groups, by the switches that join them: GPUs behind NVSwitches, hosts below a leaf, leaves below spines.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "topo/bound/gather.hpp"

namespace railgauge::topo {

// Half 2i of the wires is edge i from a to b, half 2i + 1 the other direction.
using Halves = std::vector<std::uint32_t>;

// A shortest path from a rank to a switch, over vertices that are no ranks.
struct Climb {
  std::int32_t rank = 0;
  Halves halves;
};

struct Group {
  static constexpr auto none = static_cast<std::uint32_t>(-1);
  std::uint32_t parent = none;
  std::vector<std::uint32_t> children;  // groups; none of a single rank
  std::vector<std::int32_t> ranks;
  std::vector<std::uint32_t> switches;            // vertices that join its children
  std::vector<std::vector<std::uint32_t>> exits;  // for each switch of the parent, the climbs of its ranks to that switch
  Halves leaving;                                 // the last halves of these climbs, each once
};

struct Tiers {
  std::vector<Group> groups;  // the ranks one by one, then groups of them, each behind its children; the last has all ranks
  std::vector<Climb> climbs;
};

// A switch joins the ranks that are nearest to it, by the number of links. The nearest switches make the first groups; those that
// are farther off join groups, and what joins only ranks of one group is left out. Nothing where some ranks are joined by no
// switch (links between ranks, or a chain of switches), or by too many paths to list.
[[nodiscard]] std::optional<Tiers> tiers_of(const Wires& wires);

}  // namespace railgauge::topo
