// The order of the measurements of `railgauge bench tune`.
#pragma once

#include <vector>

#include "bench/select/sweep.hpp"

namespace railgauge {

inline constexpr int tuning_passes = 5;

// All points, tuning_passes times, since machines are slower for a while now and then. The algorithms of one collective at one
// size are adjacent, since they are compared with each other. `fair`: the time may end before all points are measured. Then the
// collectives are interleaved, one size each, and sizes go from both ends inwards, halving the gaps, so that other sizes can be
// interpolated for each collective.
[[nodiscard]] std::vector<Point> tuning_order(std::vector<Point> points, bool fair);

}  // namespace railgauge
