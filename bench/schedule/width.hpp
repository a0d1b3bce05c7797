// The width of a schedule's reductions: the kernels of a device may accept fewer operands.
#pragma once

#include <cstddef>

#include "bench/schedule/schedule.hpp"

namespace railgauge {

// The number of sources of this rank's widest reduction. A plan fuses all locals of one round into the same blocks into one
// reduction.
[[nodiscard]] std::size_t widest_reduction(const Schedule& schedule);

}  // namespace railgauge
