// The part of a page that shows how times went on from run to run.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "reports/web/sections.hpp"
#include "reports/web/trend.hpp"

namespace railgauge::web {

inline constexpr std::size_t most_trends = 24;         // that are drawn: those with change points first
inline constexpr std::size_t most_trend_points = 400;  // of each, the last ones

// Those that a page draws, with at most so many points: what was left out of one is left out of its baseline and its steps too.
// Labels are shown() (reports/web/inert.hpp), and a step or baseline that names no point is gone.
[[nodiscard]] std::vector<Trend> drawn_trends(std::span<const Trend> trends);

// `trends` are all, `drawn` those of drawn_trends(). Without charts tables are open.
[[nodiscard]] Section trend_section(std::span<const Trend> trends, std::span<const Trend> drawn, bool charts);

}  // namespace railgauge::web
