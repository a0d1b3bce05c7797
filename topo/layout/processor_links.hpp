// The path of a line between two packages.
#pragma once

#include <vector>

#include "topo/layout/layout.hpp"

namespace railgauge::topo::layout {

// `a` is not to the right of `b`. Frames with less than `near` pixels between them are neighbours.
[[nodiscard]] std::vector<Point> between_packages(const Box& a, const Box& b, double near);

}  // namespace railgauge::topo::layout
