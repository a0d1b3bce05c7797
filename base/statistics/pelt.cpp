// Optimal cuts of a history with pruning: base/statistics/change_points.hpp.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "base/statistics/change_points.hpp"

namespace railgauge::compare {
namespace {

// Twice the log likelihood that a distance from the median costs, in units of the noise: 4 f(0) of the normal density f, by which
// a step is judged as by squares (R. Koenker, J. Machado, Journal of the American Statistical Association 94, 1999).
constexpr double median_scale = 1.5957691216057308;

// What it costs to call a part of the history one level.
class Costs {
 public:
  Costs(std::span<const double> history, PeltOptions::Cost kind, double noise) : size_(history.size()) {
    if (kind == PeltOptions::Cost::median)
      add_medians(history, noise);
    else
      add_means(history, noise);
  }

  // Of the runs first ... end - 1.
  [[nodiscard]] double of(std::size_t first, std::size_t end) const {
    if (!rows_.empty()) return rows_[first][end - first - 1];
    const double sum = sums_[end] - sums_[first];
    return squares_[end] - squares_[first] - sum * sum / static_cast<double>(end - first);
  }

 private:
  void add_means(std::span<const double> history, double noise) {
    sums_.assign(size_ + 1, 0);
    squares_.assign(size_ + 1, 0);
    for (std::size_t i = 0; i < size_; ++i) {
      const double value = (history[i] - history[0]) / noise;  // from the first on: sums of squares keep their digits
      sums_[i + 1] = sums_[i] + value;
      squares_[i + 1] = squares_[i] + value * value;
    }
  }

  // Each part grows by one run at a time; the halves below and above its median are kept as heaps.
  void add_medians(std::span<const double> history, double noise) {
    rows_.resize(size_);
    for (std::size_t first = 0; first < size_; ++first) {
      std::priority_queue<double> low;
      std::priority_queue<double, std::vector<double>, std::greater<>> high;
      double low_sum = 0, high_sum = 0;
      for (std::size_t i = first; i < size_; ++i) {
        const double value = (history[i] - history[0]) / noise;
        if (low.empty() || value <= low.top()) {
          low.push(value);
          low_sum += value;
        } else {
          high.push(value);
          high_sum += value;
        }
        if (low.size() > high.size() + 1) {
          high.push(low.top());
          high_sum += low.top();
          low_sum -= low.top();
          low.pop();
        } else if (high.size() > low.size()) {
          low.push(high.top());
          low_sum += high.top();
          high_sum -= high.top();
          high.pop();
        }
        const double median = low.top();
        const double below = median * static_cast<double>(low.size()) - low_sum;
        const double above = high_sum - median * static_cast<double>(high.size());
        rows_[first].push_back(median_scale * (below + above));
      }
    }
  }

  std::size_t size_;
  std::vector<double> sums_, squares_;     // of the mean
  std::vector<std::vector<double>> rows_;  // of the median: by first run, then by length
};

}  // namespace

std::vector<std::size_t> pelt(std::span<const double> history, const PeltOptions& options) {
  const std::size_t size = history.size(), shortest = std::max<std::size_t>(1, options.min_segment);
  const double noise = noise_of(history);
  if (size < 2 * shortest || !(noise > 0)) return {};
  const Costs costs(history, options.cost, noise);
  const double penalty = options.penalty.value_or(3 * std::log(static_cast<double>(size)));
  constexpr double unreached = std::numeric_limits<double>::infinity();

  std::vector<double> best(size + 1, unreached);  // of the runs before this one, with the price of their cuts
  std::vector<std::size_t> last(size + 1, 0);     // where their last level begins
  best[0] = -penalty;
  struct Candidate {
    std::size_t first = 0;
    std::size_t until = std::numeric_limits<std::size_t>::max();  // no longer looked at from this end on
  };
  std::vector<Candidate> candidates;
  for (std::size_t end = shortest; end <= size; ++end) {
    candidates.push_back({end - shortest});
    std::vector<double> reached;
    for (const Candidate& candidate : candidates) {
      const double cost = best[candidate.first] + costs.of(candidate.first, end);
      reached.push_back(cost);
      if (cost + penalty < best[end]) {
        best[end] = cost + penalty;
        last[end] = candidate.first;
      }
    }
    // A start that loses even without the price of a cut here loses wherever a level can begin here: from `shortest` runs on.
    std::vector<Candidate> kept;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      Candidate candidate = candidates[i];
      if (reached[i] > best[end]) candidate.until = std::min(candidate.until, end + shortest);
      if (candidate.until > end + 1) kept.push_back(candidate);
    }
    candidates = std::move(kept);
  }

  std::vector<std::size_t> points;
  for (std::size_t first = last[size]; first != 0; first = last[first]) points.insert(points.begin(), first);
  return points;
}

}  // namespace railgauge::compare
