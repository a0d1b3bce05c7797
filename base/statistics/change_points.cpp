// The noise of a history and its levels: what of base/statistics/change_points.hpp is no search.
#include <cmath>
#include <numbers>
#include <utility>

#include "base/statistics/change_points.hpp"
#include "base/statistics/ratio.hpp"

namespace railgauge::compare {

double noise_of(std::span<const double> history) {
  constexpr double normal_median = 0.6744897501960817;  // of |x|, of a standard normal x
  constexpr double normal_mean = 0.7978845608028654;    // of the same
  if (history.size() < 2) return 0;
  std::vector<double> jumps;
  double sum = 0;
  for (std::size_t i = 1; i < history.size(); ++i) {
    jumps.push_back(std::fabs(history[i] - history[i - 1]));
    sum += jumps.back();
  }
  const double mean = sum / static_cast<double>(jumps.size());
  const double median = middle(std::move(jumps));
  // Where most neighbours are equal, as of figures that are rounded, the median of jumps says nothing.
  return (median > 0 ? median / normal_median : mean / normal_mean) / std::numbers::sqrt2;
}

std::vector<Step> steps_at(std::span<const double> history, std::span<const std::size_t> points) {
  const auto level = [&](std::size_t first, std::size_t end) {
    const std::span<const double> part = history.subspan(first, end - first);
    return middle({part.begin(), part.end()});
  };
  std::vector<Step> steps;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t first = i == 0 ? 0 : points[i - 1];
    const std::size_t end = i + 1 < points.size() ? points[i + 1] : history.size();
    steps.push_back({points[i], level(first, points[i]), level(points[i], end)});
  }
  return steps;
}

}  // namespace railgauge::compare
