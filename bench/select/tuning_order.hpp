// In which order `railgauge bench tune` measures.
#pragma once

#include <vector>

#include "bench/select/sweep.hpp"

namespace railgauge {

inline constexpr int tuning_passes = 5;

// All points, tuning_passes times, since machines are slower for a while now and then: what is to be compared with each other,
// the algorithms of one collective at one size, stands together. `fair`: the time may end before the points do. Then the
// collectives take turns, a size each, and sizes go from both ends inwards, halving the gaps, so that each collective has figures
// from which those between can be interpolated.
[[nodiscard]] std::vector<Point> tuning_order(std::vector<Point> points, bool fair);

}  // namespace railgauge
