// Groups of equal switches, which a tiered picture draws as one box each.
#pragma once

#include <string>
#include <vector>

#include "topo/layout/fabric.hpp"

namespace railgauge::topo::layout {

// Equal switches of one block. An odd switch has a group of its own.
struct Group {
  unsigned tier = 0;
  std::vector<std::uint32_t> switches;
  std::size_t hosts = 0;  // links to hosts, of all switches together
  bool odd = false;
};

// Switches of the lower tiers that stay connected without the top tier, or the switches of one rail. Equal blocks are one.
struct Block {
  std::uint32_t rail = npos;
  std::vector<Group> groups;  // sorted by tier, then by name
  std::size_t count = 1;      // equal blocks that it represents
  bool odd = false;
};

struct Blocks {
  Block top;  // the top tier, above the blocks
  std::vector<Block> blocks;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> of;  // of each switch: its block (npos: `top`) and its group in it
};

[[nodiscard]] Blocks group(const Fabric& fabric);

// Links between two groups.
struct Bundle {
  std::vector<std::uint32_t> links;
  std::size_t count = 0, pairs = 0;   // links; pairs of switches with at least one
  std::uint32_t least = 0, most = 0;  // links of such a pair
};

// An edge whose bends need the positions of all boxes.
struct Pending {
  std::size_t edge, lower, upper;  // places in Picture::edges and Picture::boxes
};

// Spreads the ends of the edges along the sides of the boxes, in the order of their other ends, so that few cross. Moves edges
// with a warning to the end of Picture::edges, so that they are drawn above the others.
void spread_edges(Picture& picture, const std::vector<Pending>& pending);

}  // namespace railgauge::topo::layout
