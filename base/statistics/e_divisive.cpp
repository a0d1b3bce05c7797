// Cuts by energy distance, kept where permutations say that they are no chance: base/statistics/change_points.hpp.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/statistics/change_points.hpp"
#include "base/statistics/draws.hpp"

namespace railgauge::compare {
namespace {

struct Cut {
  std::size_t at = 0;    // the first run of the right side
  double distance = -1;  // below 0: no cut is possible
};

// Distances |a - b| of all pairs of a history.
class Distances {
 public:
  explicit Distances(std::span<const double> history) : size_(history.size()), values_(size_ * size_) {
    for (std::size_t a = 0; a < size_; ++a)
      for (std::size_t b = 0; b < size_; ++b) values_[a * size_ + b] = std::fabs(history[a] - history[b]);
  }
  [[nodiscard]] double of(std::size_t a, std::size_t b) const { return values_[a * size_ + b]; }

 private:
  std::size_t size_;
  std::vector<double> values_;
};

// The furthest cut of the runs `order`, in that order; `at` counts from its first.
Cut furthest(const Distances& distances, std::span<const std::size_t> order, std::size_t shortest) {
  const std::size_t size = order.size();
  double left = 0, right = 0;  // sums over the pairs of each side
  for (std::size_t a = 0; a < size; ++a)
    for (std::size_t b = a + 1; b < size; ++b) right += distances.of(order[a], order[b]);
  const double all = right;
  Cut best;
  for (std::size_t at = 1; at + shortest <= size; ++at) {  // the run before `at` goes to the left side
    const std::size_t moved = order[at - 1];
    for (std::size_t a = 0; a + 1 < at; ++a) left += distances.of(order[a], moved);
    for (std::size_t b = at; b < size; ++b) right -= distances.of(moved, order[b]);
    if (at < shortest) continue;
    const auto m = static_cast<double>(at), n = static_cast<double>(size - at);
    double energy = 2 * (all - left - right) / (m * n);
    if (at > 1) energy -= 2 * left / (m * (m - 1));
    if (size - at > 1) energy -= 2 * right / (n * (n - 1));
    const double distance = m * n / (m + n) * energy;
    if (distance > best.distance) best = {at, distance};
  }
  return best;
}

}  // namespace

std::vector<std::size_t> e_divisive(std::span<const double> history, const EDivisiveOptions& options) {
  const std::size_t shortest = std::max<std::size_t>(1, options.min_segment);
  const Distances distances(history);
  Draws draws(options.seed);
  struct Part {
    std::size_t first = 0, end = 0;
  };
  std::vector<Part> parts{{0, history.size()}};
  std::vector<std::size_t> points;
  while (!parts.empty()) {
    const Part part = parts.back();
    parts.pop_back();
    if (part.end - part.first < 2 * shortest) continue;
    std::vector<std::size_t> order(part.end - part.first);
    std::iota(order.begin(), order.end(), part.first);
    const Cut cut = furthest(distances, order, shortest);
    if (!(cut.distance > 0)) continue;
    int as_far = 1;  // the order that was measured is one of the orders
    for (int permutation = 0; permutation < options.permutations; ++permutation) {
      for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[draws.below(i)]);
      if (furthest(distances, order, shortest).distance >= cut.distance) ++as_far;
    }
    if (as_far > options.significance * (options.permutations + 1)) continue;
    const std::size_t at = part.first + cut.at;
    points.push_back(at);
    parts.push_back({part.first, at});
    parts.push_back({at, part.end});
  }
  std::sort(points.begin(), points.end());
  return points;
}

}  // namespace railgauge::compare
