// Statistics of samples: quantiles that occurred, the autocorrelation time, and a confidence interval of the median. Pure
// arithmetic without units; docs/measuring.md explains it.
#pragma once

#include <cstddef>
#include <span>

namespace railgauge {

// The smallest value that at least `fraction` of all values do not exceed (nearest rank: a value that occurred, never one
// between two). `sorted` ascends and is not empty; fraction is in [0, 1]. The median of 4 values is therefore the second.
[[nodiscard]] double nearest_rank(std::span<const double> sorted, double fraction);

// Integrated autocorrelation time of "is above the median", in samples: n samples say as much about the median as n / this
// independent ones. At least 1; 1 for fewer than 4 samples or where nothing varies. Initial positive sequence: C. Geyer,
// Practical Markov Chain Monte Carlo, Statistical Science 7, 1992. At most n/64 * n/2 steps.
[[nodiscard]] double autocorrelation_time(std::span<const double> samples);

// Positions in the sorted samples, counted from 1, between which the true median lies with this confidence, whatever the
// distribution: floor((n - z sqrt n) / 2) and ceil(1 + (n + z sqrt n) / 2), n being the effective samples, brought to the scale
// of the real ones. T. Hoefler, R. Belli, Scientific Benchmarking of Parallel Computing Systems, SC 2015.
struct MedianRanks {
  std::size_t low = 1, high = 1;
  bool bounded = false;  // false: too few samples for this confidence; the ranks are the ends of what was seen
};
[[nodiscard]] MedianRanks median_ranks(std::size_t samples, double effective_samples, double confidence);

struct Statistics {
  std::size_t samples = 0;
  double effective_samples = 0;  // samples / autocorrelation_time
  double min = 0, median = 0, p95 = 0, p99 = 0, max = 0;
  double ci_low = 0, ci_high = 0;  // of the median
  bool ci_bounded = false;         // false: ci_low and ci_high are only min and max
  double mad = 0;                  // median of the distances from the median
  // Half of the interval's width, as a share of the median.
  [[nodiscard]] double precision() const { return median > 0 ? (ci_high - ci_low) / 2 / median : 0; }
};

// `samples` are in the order in which they were taken. All zero for no samples.
[[nodiscard]] Statistics summarise(std::span<const double> samples, double confidence = 0.95);

}  // namespace railgauge
