// Where the groups of a tiered fabric stand: a row for each tier, or, where that is wider than a page, in rows that are wrapped.
#pragma once

#include <cstddef>
#include <vector>

#include "topo/layout/fabric_groups.hpp"

namespace railgauge::topo::layout {

inline constexpr double group_height = 62, strip_height = 26;

// All in pixels; points are upper left corners.
struct Places {
  bool wrapped = false;
  bool framed = false;  // blocks have frames
  double group_width = 158;
  double strip_gap = 14;                   // between a group of leaves and the strip of its hosts
  std::vector<Point> top;                  // of Blocks::top.groups
  std::vector<std::vector<Point>> groups;  // of each block's groups
  struct Area {
    Point at;
    double width = 0, height = 0;
  };
  std::vector<Area> blocks;  // their frames
  Area above;                // the frame of the top groups, in a wrapped picture
  double width = 0, bottom = 0;
};

// `widest_name`: pixels that the longest title of a group needs. `base`: where the picture begins. Pure; never empty of a place
// that a group has.
[[nodiscard]] Places place_groups(const Blocks& blocks, unsigned tiers, double base, double widest_name);

// Of a wrapped picture: the corners of what leads from a block's frame to the frame above, through the gap above its line and up
// along the left side. None crosses another.
[[nodiscard]] std::vector<Point> trunk(const Places& places, std::size_t block);

}  // namespace railgauge::topo::layout
