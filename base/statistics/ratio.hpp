// How much longer one set of launches takes than another, how well that is known, and what follows from it: pure arithmetic,
// explained in docs/compare.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace railgauge::compare {

// What one launch said of one case. The launch, not the sample, is what is repeated: samples of one launch share its placement,
// its memory and its neighbours.
struct Launch {
  std::vector<double> log_times;  // natural logarithms of seconds, ascending, at least one
  double effective = 1;           // of so many independent samples they are worth, at least 1
};
// Of times in any order; those that are not positive or not finite are left out. `effective` that is no positive number stands
// for all of them. Nothing where no time is left.
[[nodiscard]] std::optional<Launch> make_launch(std::span<const double> seconds, double effective);

[[nodiscard]] double median_of(const Launch& launch);  // the lower of two in the middle, as everywhere within a run
// The mean of two in the middle, as everywhere between launches: of two launches neither is the better median. Not empty.
[[nodiscard]] double middle(std::vector<double> values);

// The two-level bootstrap of a side: each replicate draws launches with replacement, then from each of them as many samples as
// it is worth, and takes the median of medians.
struct BootstrapVariance {
  double between = 0;  // variance of the side's log median over replicates of both levels, times n / (n - 1)
  double within = 0;   // the same when launches are not drawn: what samples alone leave unknown
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

// Of the times of `next` by those of `base`.
struct Ratio {
  double value = 1;          // of the medians over launches
  double error = 0;          // standard error of its logarithm
  double freedom = 0;        // of Student's t; infinite where the launch noise is given
  double low = 1, high = 1;  // its interval; from 0 to infinity where nothing is known of how launches differ
  bool bounded = false;      // false: that is so
};
// Neither side is empty. Where one side alone has enough launches, the other's are taken to differ as much.
[[nodiscard]] Ratio ratio_of(std::span<const Launch> base, std::span<const Launch> next, const RatioOptions& options = {});

// Two-sided p of the ratio lying within the band, from 1 / (1 + band) to 1 + band; 1 where nothing is known.
[[nodiscard]] double p_within(const Ratio& ratio, double band);

enum class Verdict : std::uint8_t { same, better, worse, inconclusive };
[[nodiscard]] std::string_view name(Verdict verdict) noexcept;

// same: the whole interval lies within the band. worse, better: all of it lies beyond, and that is no chance among all cases
// either (`adjusted_p` of p_within is below 1 - confidence). Everything else is inconclusive.
[[nodiscard]] Verdict decide(const Ratio& ratio, double band, double adjusted_p, double confidence);
// What decide() would say if this were the only case.
[[nodiscard]] Verdict decide_alone(const Ratio& ratio, double band);

}  // namespace railgauge::compare
