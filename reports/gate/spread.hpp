// How far values are from their centre, hardly moved by outliers.
#pragma once

#include <span>

namespace railgauge::compare {

// Standard deviation of values about `centre`, none of which counts for more than 2.5 of it: P. Huber, Robust Statistics, 1981,
// section 6.4. The median deviation, where it begins, is known much worse from 30 values. Not empty, all finite.
[[nodiscard]] double robust_spread(std::span<const double> values, double centre);

}  // namespace railgauge::compare
