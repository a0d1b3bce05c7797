// What the charts of a page are drawn from.
#pragma once

#include <span>
#include <string>

#include "reports/web/gather.hpp"
#include "reports/web/trend.hpp"

namespace railgauge::web {

// JSON in columns, of trends that drawn_trends() gave, of the shape that src/data.ts declares; can stand in a script element.
[[nodiscard]] std::string chart_data(const Contents& contents, std::span<const Trend> trends = {});

// The steps of speed of every heat map, the fastest first, as JSON: share of the median's speed, colour on a light page and on a
// dark.
[[nodiscard]] std::string shade_table();

// "3 node7" of ranks, "cuda:0" of places.
[[nodiscard]] std::string rank_name(const PairPicture& picture, int rank);

}  // namespace railgauge::web
