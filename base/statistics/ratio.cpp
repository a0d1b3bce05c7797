// The arithmetic behind base/statistics/ratio.hpp.
#include "base/statistics/ratio.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>

#include "base/statistics/draws.hpp"

namespace railgauge::compare {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr std::size_t few = 32;  // independent samples from which on the middle of a draw is as good as normal

// The median of a draw, with replacement, of as many samples as the launch is worth. It is the sample that the middle one of so
// many uniform numbers points at, which need not all be drawn.
double draw_median(const Launch& launch, Draws& draws) {
  const auto size = static_cast<double>(launch.log_times.size());
  double position = 0.5;
  if (launch.effective < static_cast<double>(few)) {
    std::array<double, few> drawn{};
    const auto count = std::max<std::size_t>(1, static_cast<std::size_t>(launch.effective));
    for (std::size_t i = 0; i < count; ++i) drawn[i] = draws.uniform();
    std::sort(drawn.begin(), drawn.begin() + static_cast<std::ptrdiff_t>(count));
    position = (drawn[(count - 1) / 2] + drawn[count / 2]) / 2;
  } else {
    position += draws.normal() / (2 * std::sqrt(launch.effective));
  }
  return launch.log_times[static_cast<std::size_t>(std::clamp(position * size, 0.0, size - 1))];
}

double variance_of(std::span<const double> values) {
  if (values.size() < 2) return 0;
  double mean = 0, squares = 0;
  for (const double value : values) mean += value;
  mean /= static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / static_cast<double>(values.size() - 1);
}

std::vector<double> medians_of(std::span<const Launch> launches) {
  std::vector<double> medians;
  for (const Launch& launch : launches) medians.push_back(median_of(launch));
  return medians;
}

// P(T > t).
double tail(double t, double freedom) {
  if (std::isinf(t)) return t > 0 ? 0 : 1;
  if (std::isinf(freedom)) return boost::math::cdf(boost::math::complement(boost::math::normal_distribution<double>{}, t));
  return boost::math::cdf(boost::math::complement(boost::math::students_t_distribution<double>(freedom), t));
}

double quantile(double probability, double freedom) {
  if (std::isinf(freedom)) return boost::math::quantile(boost::math::normal_distribution<double>{}, probability);
  return boost::math::quantile(boost::math::students_t_distribution<double>(freedom), probability);
}

}  // namespace

std::optional<Launch> make_launch(std::span<const double> seconds, double effective) {
  Launch launch;
  for (const double time : seconds)
    if (std::isfinite(time) && time > 0) launch.log_times.push_back(std::log(time));
  if (launch.log_times.empty()) return std::nullopt;
  std::sort(launch.log_times.begin(), launch.log_times.end());
  const auto held = static_cast<double>(launch.log_times.size());
  launch.effective = std::max(1.0, std::isfinite(effective) && effective > 0 ? effective : held);
  return launch;
}

double median_of(const Launch& launch) { return launch.log_times[(launch.log_times.size() - 1) / 2]; }

double middle(std::vector<double> values) {
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  if (values.size() % 2 == 1) return *upper;
  return (*upper + *std::max_element(values.begin(), upper)) / 2;
}

BootstrapVariance bootstrap(std::span<const Launch> launches, int replicates, std::uint64_t seed) {
  Draws draws(seed);
  std::vector<double> between, within, drawn(launches.size());
  for (int replicate = 0; replicate < replicates; ++replicate) {
    for (double& median : drawn) median = draw_median(launches[draws.below(launches.size())], draws);
    between.push_back(middle(drawn));
    for (std::size_t i = 0; i < launches.size(); ++i) drawn[i] = draw_median(launches[i], draws);
    within.push_back(middle(drawn));
  }
  return {launches.size() > 1 ? variance_of(between) : 0, variance_of(within)};
}

Ratio ratio_of(std::span<const Launch> base, std::span<const Launch> next, const RatioOptions& options) {
  struct Side {
    std::span<const Launch> launches;
    BootstrapVariance spread;
    std::vector<double> medians;
    [[nodiscard]] bool enough() const { return launches.size() >= least_launches; }
    [[nodiscard]] double freedom() const { return static_cast<double>(launches.size() - 1); }
  };
  std::array<Side, 2> sides{Side{base, bootstrap(base, options.replicates, options.seed), medians_of(base)},
                            Side{next, bootstrap(next, options.replicates, options.seed + 1), medians_of(next)}};
  Ratio ratio;
  const double centre = middle(sides[1].medians) - middle(sides[0].medians);
  ratio.value = std::exp(centre);

  // How much launches differ where a side has too few to show it: as the user says, else as those of the other side do.
  std::optional<double> launch_variance;
  if (options.launch_noise) launch_variance = *options.launch_noise * *options.launch_noise;
  for (const Side& side : sides)
    if (!launch_variance && side.enough()) launch_variance = variance_of(side.medians);

  double variance = 0;
  for (const Side& side : sides) {
    if (side.enough()) {
      variance += side.spread.between;
      ratio.freedom += side.freedom();
      continue;
    }
    if (!launch_variance) {
      ratio.low = 0;
      ratio.high = infinite;
      ratio.error = infinite;
      return ratio;
    }
    variance += side.spread.within + *launch_variance / static_cast<double>(side.launches.size());
    if (options.launch_noise) ratio.freedom = infinite;
  }
  ratio.bounded = true;
  ratio.error = std::sqrt(variance);
  const double reach = quantile((1 + options.confidence) / 2, ratio.freedom) * ratio.error;
  ratio.low = std::exp(centre - reach);
  ratio.high = std::exp(centre + reach);
  return ratio;
}

double p_within(const Ratio& ratio, double band) {
  if (!ratio.bounded) return 1;
  const double edge = std::log1p(band), beyond = std::fabs(std::log(ratio.value)) - edge;
  if (ratio.error == 0) return beyond > 0 ? 0 : 1;
  return std::min(1.0, 2 * tail(beyond / ratio.error, ratio.freedom));
}

std::string_view name(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::same:
      return "same";
    case Verdict::better:
      return "better";
    case Verdict::worse:
      return "worse";
    case Verdict::inconclusive:
      return "inconclusive";
  }
  return "?";
}

Verdict decide(const Ratio& ratio, double band, double adjusted_p, double confidence) {
  const Verdict alone = decide_alone(ratio, band);
  const bool step = alone == Verdict::worse || alone == Verdict::better;
  return step && !(adjusted_p < 1 - confidence) ? Verdict::inconclusive : alone;
}

Verdict decide_alone(const Ratio& ratio, double band) {
  if (!ratio.bounded) return Verdict::inconclusive;
  const double upper = 1 + band, lower = 1 / upper;
  if (ratio.low > upper) return Verdict::worse;
  if (ratio.high < lower) return Verdict::better;
  return ratio.low >= lower && ratio.high <= upper ? Verdict::same : Verdict::inconclusive;
}

}  // namespace railgauge::compare
