// Places arcs between the cards of a row on tracks, so that arcs that would overlap are on different ones.
#pragma once

#include <cstddef>
#include <vector>

#include "topo/layout/machine.hpp"

namespace railgauge::topo::layout {

struct Arc {
  std::size_t a, b;       // places of the anchors, the left one first
  std::size_t pair;       // number of the pair, from the caller
  double x1 = 0, x2 = 0;  // pixels: where the arc leaves the cards
  std::size_t track = 0;  // from the top
};

// Sorts the arcs and sets their x1, x2 and track. Returns the number of tracks.
std::size_t place_arcs(std::vector<Arc>& arcs, const std::vector<Anchor>& anchors);

}  // namespace railgauge::topo::layout
