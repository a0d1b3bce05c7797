// How many blocks a schedule reduces at once: a device's kernels may take fewer.
#pragma once

#include <cstddef>

#include "bench/schedule/schedule.hpp"

namespace railgauge {

// Sources of the widest of this rank's reductions, of which a plan makes one each of what goes into the same blocks in one round.
[[nodiscard]] std::size_t widest_reduction(const Schedule& schedule);

}  // namespace railgauge
