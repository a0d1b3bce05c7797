// Switches that are alike, as one: what a tiered picture draws in the place of thousands.
#pragma once

#include <string>
#include <vector>

#include "topo/layout/fabric.hpp"

namespace railgauge::topo::layout {

// Alike switches of one block. One that is odd stands alone.
struct Group {
  unsigned tier = 0;
  std::vector<std::uint32_t> switches;
  std::size_t hosts = 0;  // links to hosts, of all together
  bool odd = false;
};

// Switches of the lower tiers that are joined without the uppermost, or those of one rail; and blocks like it.
struct Block {
  std::uint32_t rail = npos;
  std::vector<Group> groups;  // by tier, then by names
  std::size_t count = 1;      // blocks that it stands for
  bool odd = false;
};

struct Blocks {
  Block top;  // the switches above the blocks
  std::vector<Block> blocks;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> of;  // of each switch: its block (npos is the top) and its group there
};

[[nodiscard]] Blocks group(const Fabric& fabric);

// Links between two groups.
struct Bundle {
  std::vector<std::uint32_t> links;
  std::size_t count = 0, pairs = 0;   // links; pairs of switches that have any
  std::uint32_t least = 0, most = 0;  // links of such a pair
};

// An edge whose course is not known before all boxes stand.
struct Pending {
  std::size_t edge, lower, upper;  // places in Picture::edges and Picture::boxes
};

// Gives each edge a place of its own along the boxes' sides, in the order of the other ends, so that few cross; wrong ones are
// put last, above the others.
void spread_edges(Picture& picture, const std::vector<Pending>& pending);

}  // namespace railgauge::topo::layout
