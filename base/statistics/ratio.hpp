// The ratio of the times of two sets of launches, its confidence interval, and the verdict: pure arithmetic, explained in
// docs/compare.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace railgauge::compare {

// The times of one case in one launch. The unit of replication is the launch, not the sample: samples of one launch share its
// placement, its memory and its neighbours.
struct Launch {
  std::vector<double> log_times;  // natural logarithms of seconds, ascending, at least one
  double effective = 1;           // of so many independent samples they are worth, at least 1
};
// From times in any order; ignores times that are not positive or not finite. An `effective` that is no positive number stands
// for all of them. Nothing where no time is left.
[[nodiscard]] std::optional<Launch> make_launch(std::span<const double> seconds, double effective);

[[nodiscard]] double median_of(const Launch& launch);  // the lower of two in the middle, as everywhere within a run
// The median; of an even number the mean of the two in the middle, since of two launches neither is the better median. `values`
// is not empty.
[[nodiscard]] double middle(std::vector<double> values);

// The variance of a side by the two-level bootstrap: each replicate draws launches with replacement, then draws each launch's
// effective number of samples, and takes the median of medians.
struct BootstrapVariance {
  double between = 0;  // variance of the side's log median over replicates of both levels, times n / (n - 1)
  double within = 0;   // the same when launches are not drawn: the variance within launches
};
[[nodiscard]] BootstrapVariance bootstrap(std::span<const Launch> launches, int replicates, std::uint64_t seed);

// Fewer launches of a side than this say too little of how launches differ.
inline constexpr std::size_t least_launches = 3;

struct RatioOptions {
  double confidence = 0.95;
  int replicates = 1000;
  std::uint64_t seed = 1;
  std::optional<double> launch_noise = std::nullopt;  // relative standard deviation of launches, where it is known otherwise
};

// The times of `next` divided by the times of `base`.
struct Ratio {
  double value = 1;          // of the medians over launches
  double error = 0;          // standard error of its logarithm
  double freedom = 0;        // of Student's t; infinite where the launch noise is given
  double low = 1, high = 1;  // its interval; from 0 to infinity where nothing is known of how launches differ
  bool bounded = false;      // false: that is so
};
// Neither side is empty. Where one side alone has enough launches, the other's are taken to differ as much.
[[nodiscard]] Ratio ratio_of(std::span<const Launch> base, std::span<const Launch> next, const RatioOptions& options = {});

// Two-sided p of the hypothesis that the ratio lies within the band, from 1 / (1 + band) to 1 + band; 1 where the ratio is not
// bounded.
[[nodiscard]] double p_within(const Ratio& ratio, double band);

enum class Verdict : std::uint8_t { same, better, worse, inconclusive };
[[nodiscard]] std::string_view name(Verdict verdict) noexcept;

// same: the whole interval lies within the band. worse, better: the whole interval lies beyond it, and `adjusted_p` (p_within,
// adjusted for all cases) is below 1 - confidence. Otherwise inconclusive.
[[nodiscard]] Verdict decide(const Ratio& ratio, double band, double adjusted_p, double confidence);
// The verdict of decide() if this were the only case.
[[nodiscard]] Verdict decide_alone(const Ratio& ratio, double band);

}  // namespace railgauge::compare
