// The arithmetic behind base/statistics/samples.hpp.
#include "base/statistics/samples.hpp"

#include <algorithm>
#include <bit>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

namespace railgauge {
namespace {

constexpr std::size_t word_bits = 64;

// Which samples lie above the median, one bit each, so that an autocovariance is a shift, an and, and a count of bits.
class Above {
 public:
  explicit Above(std::span<const double> samples) : size_(samples.size()), words_(samples.size() / word_bits + 2) {
    std::vector<double> sorted(samples.begin(), samples.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    const double median = *middle;
    // Clocks tick, so many samples may equal the median: they go to the side that makes the halves more even.
    std::size_t below = 0, equal = 0;
    for (const double sample : samples) {
      below += sample < median ? 1 : 0;
      equal += sample == median ? 1 : 0;
    }
    const std::size_t above = size_ - below - equal;
    const bool equal_is_above = below > above;
    for (std::size_t i = 0; i < size_; ++i)
      if (samples[i] > median || (equal_is_above && samples[i] == median)) words_[i / word_bits] |= bit(i);
    ones_ = equal_is_above ? above + equal : above;
  }

  [[nodiscard]] std::size_t ones() const { return ones_; }
  [[nodiscard]] bool test(std::size_t i) const { return (words_[i / word_bits] & bit(i)) != 0; }

  // Number of i with both i and i + lag above.
  [[nodiscard]] std::size_t pairs(std::size_t lag) const {
    const std::size_t skip = lag / word_bits, shift = lag % word_bits;
    const std::size_t count = words_.size() - 1 - skip;  // the last word is always zero
    std::size_t sum = 0;
    for (std::size_t w = 0; w < count; ++w) {
      std::uint64_t moved = words_[w + skip] >> shift;
      if (shift != 0) moved |= words_[w + skip + 1] << (word_bits - shift);
      sum += static_cast<std::size_t>(std::popcount(words_[w] & moved));
    }
    return sum;
  }

 private:
  static std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << (i % word_bits); }
  std::size_t size_, ones_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace

double nearest_rank(std::span<const double> sorted, double fraction) {
  const auto size = static_cast<double>(sorted.size());
  // 0.95 * 20 is a hair above 19 in binary: without the slack it would give rank 20.
  const double rank = std::ceil(fraction * size - 1e-9 * size);
  const double position = std::clamp(rank - 1, 0.0, size - 1);
  return sorted[static_cast<std::size_t>(position)];
}

double autocorrelation_time(std::span<const double> samples) {
  const std::size_t n = samples.size();
  if (n < 4) return 1;
  const Above above(samples);
  const auto size = static_cast<double>(n);
  const double mean = static_cast<double>(above.ones()) / size;
  const double variance = mean * (1 - mean);
  if (variance <= 0) return 1;

  auto head = static_cast<double>(above.ones());  // how many of the first n - lag are above
  double tail = head;                             // and of the last n - lag
  std::size_t lag = 0;
  const auto next_correlation = [&] {
    const double covariance =
        (static_cast<double>(above.pairs(lag)) - mean * (head + tail) + static_cast<double>(n - lag) * mean * mean) / size;
    head -= above.test(n - 1 - lag) ? 1 : 0;
    tail -= above.test(lag) ? 1 : 0;
    ++lag;
    return covariance / variance;
  };
  // Sums of two neighbours are positive and fall in any reversible chain; the first that is not is noise. Noise above the one
  // before is cut down to it (initial monotone sequence), since it could only lengthen the answer.
  double time = -1;
  double before = 2;
  while (lag + 1 < n / 2) {
    const double first = next_correlation();
    const double pair = std::min(first + next_correlation(), before);
    if (pair <= 0) break;
    time += 2 * pair;
    before = pair;
  }
  // Each correlation was taken about the mean of the same samples, which makes it too small by about time / n; `lag` of them,
  // on both sides, were added up. U. Wolff, Monte Carlo errors with less errors, Comput. Phys. Commun. 156, 2004, equation 49.
  return std::max(1.0, time * (1 + (2 * static_cast<double>(lag) + 1) / size));
}

MedianRanks median_ranks(std::size_t samples, double effective_samples, double confidence) {
  const auto n = static_cast<double>(samples);
  const double z = boost::math::quantile(boost::math::normal_distribution<double>{}, (1 + confidence) / 2);
  const double spread = z * n / std::sqrt(effective_samples);  // z sqrt(n_eff), times n / n_eff
  const double low = std::floor((n - spread) / 2);
  const double high = std::ceil(1 + (n + spread) / 2);
  if (low < 1 || high > n) return {1, samples, false};
  return {static_cast<std::size_t>(low), static_cast<std::size_t>(high), true};
}

Statistics summarise(std::span<const double> samples, double confidence) {
  Statistics statistics;
  if (samples.empty()) return statistics;
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  statistics.samples = sorted.size();
  statistics.effective_samples = static_cast<double>(sorted.size()) / autocorrelation_time(samples);
  statistics.min = sorted.front();
  statistics.median = nearest_rank(sorted, 0.5);
  statistics.p95 = nearest_rank(sorted, 0.95);
  statistics.p99 = nearest_rank(sorted, 0.99);
  statistics.max = sorted.back();
  const MedianRanks ranks = median_ranks(sorted.size(), statistics.effective_samples, confidence);
  statistics.ci_low = sorted[ranks.low - 1];
  statistics.ci_high = sorted[ranks.high - 1];
  statistics.ci_bounded = ranks.bounded;
  for (double& value : sorted) value = std::abs(value - statistics.median);
  std::sort(sorted.begin(), sorted.end());
  statistics.mad = nearest_rank(sorted, 0.5);
  return statistics;
}

}  // namespace railgauge
