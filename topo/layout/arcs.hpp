// Lines between the cards of a row, each across on a track of its own where it would cross another.
#pragma once

#include <cstddef>
#include <vector>

#include "topo/layout/machine.hpp"

namespace railgauge::topo::layout {

struct Arc {
  std::size_t a, b;       // places in the row, the left one first
  std::size_t pair;       // whose line it is: the caller's number
  double x1 = 0, x2 = 0;  // where it leaves the cards
  std::size_t track = 0;  // from the top
};

// Orders the arcs, and places them below the cards. Gives the number of tracks.
std::size_t place_arcs(std::vector<Arc>& arcs, const std::vector<Anchor>& anchors);

}  // namespace railgauge::topo::layout
