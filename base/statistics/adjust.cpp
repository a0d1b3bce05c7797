// The arithmetic behind base/statistics/adjust.hpp.
#include "base/statistics/adjust.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace railgauge::compare {
namespace {

// Places of the numbers in `p`, the smallest first.
std::vector<std::size_t> ascending(std::span<const double> p) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (!std::isnan(p[i])) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  return order;
}

}  // namespace

std::vector<double> holm(std::span<const double> p) {
  std::vector<double> adjusted(p.begin(), p.end());
  const std::vector<std::size_t> order = ascending(p);
  double before = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    before = std::max(before, std::min(1.0, p[order[i]] * static_cast<double>(order.size() - i)));
    adjusted[order[i]] = before;
  }
  return adjusted;
}

std::vector<double> benjamini_hochberg(std::span<const double> p) {
  std::vector<double> adjusted(p.begin(), p.end());
  const std::vector<std::size_t> order = ascending(p);
  double after = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    after = std::min(after, p[order[i]] * (static_cast<double>(order.size()) / static_cast<double>(i + 1)));
    adjusted[order[i]] = after;
  }
  return adjusted;
}

}  // namespace railgauge::compare
