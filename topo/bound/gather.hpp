// The rate at which each rank can send its block to all others, and single-source rates: the cuts that all bounds are made of.
#pragma once

#include <cstdint>
#include <vector>

#include "topo/bound/flow.hpp"
#include "topo/bound/fraction.hpp"

namespace railgauge::topo {

// Links between vertices with ranks on some of them, as the algorithms see it: the two directions of all that joins two vertices.
struct Wire {
  std::uint32_t a = 0, b = 0;
  std::uint64_t forward = 0, back = 0;  // capacities from a to b and from b to a
};
struct Wires {
  std::uint32_t vertices = 0;
  std::vector<Wire> edges;           // no two join the same vertices
  std::vector<std::uint32_t> ranks;  // vertices, all different
  [[nodiscard]] Wires reversed() const;
};

// A set of vertices, and what leaves it over the links.
struct Side {
  std::vector<bool> in;  // for each vertex
  std::uint64_t leaves = 0;
};
[[nodiscard]] std::uint64_t leaves(const Wires& wires, const std::vector<bool>& in);

// The least rate (capacity units for each block), over all sets that hold a rank and not all of them, of what leaves the set for
// each rank in it. Each rank can send a block to every other rank at this rate, all together, and no faster. At least two ranks;
// all ranks are connected. By Newton's method: a rank that cannot receive all blocks at a rate shows a set with a lower one, and
// the rate that all can receive is the answer.
struct GatherRate {
  Fraction rate;
  Side worst;
};
[[nodiscard]] GatherRate gather_rate(const Wires& wires);

// The least maximum flow from the root to any other rank, and the cut of it.
[[nodiscard]] Side broadcast_cut(const Wires& wires, std::uint32_t root);

// Sets the first edges of the flow to the capacities of the wires.
void set_capacities(const Wires& wires, Flow& flow);

}  // namespace railgauge::topo
