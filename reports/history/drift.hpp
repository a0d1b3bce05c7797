// The change points of series, by those of base/statistics/change_points.hpp, with the runs at which they lie.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "reports/history/check.hpp"

namespace railgauge::history {

// Steps of all cases together, and of each beside that: a launch is lucky or not in all its cases. With fewer than `least_cases`
// each alone. Runs up to `last` count.
[[nodiscard]] std::vector<Drift> drifts_of(std::span<const Series> series, std::size_t least_cases, std::int64_t last);

}  // namespace railgauge::history
