// The median of values; of an even number of values the mean of the two in the middle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace railgauge {

// Reorders `values`. 0 for no values.
[[nodiscard]] inline double median(std::span<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace railgauge
