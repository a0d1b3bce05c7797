// The ratio of two sides: what its interval holds, what it does with few launches, and the verdict's edges.
#include "base/statistics/ratio.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <numbers>

#include "base/statistics/draws.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"

using namespace railgauge::compare;
using railgauge::test::WithinAbs;

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

// Launches of `time` seconds that differ by `between`, each with samples that differ by `within`, both as shares.
std::vector<Launch> launches(Draws& draws, std::size_t count, double time, double between, double within) {
  std::vector<Launch> made;
  for (std::size_t i = 0; i < count; ++i) {
    const double centre = std::log(time) + between * draws.normal();
    std::vector<double> seconds;
    for (int sample = 0; sample < 60; ++sample) seconds.push_back(std::exp(centre + within * draws.normal()));
    made.push_back(*make_launch(seconds, 60));
  }
  return made;
}

struct Found {
  double covered = 0, worse = 0, half_width = 0;  // shares of the rounds, and the mean
};

Found simulate(std::size_t count, double true_ratio, double band) {
  const int rounds = railgauge::test::usual_or_thorough(300, 1000);
  Draws draws(17 + count);
  Found found;
  RatioOptions options;
  options.replicates = 300;
  for (int round = 0; round < rounds; ++round) {
    const auto base = launches(draws, count, 1e-3, 0.02, 0.03), next = launches(draws, count, 1e-3 * true_ratio, 0.02, 0.03);
    const Ratio ratio = ratio_of(base, next, options);
    found.covered += ratio.low <= true_ratio && true_ratio <= ratio.high ? 1.0 / rounds : 0;
    found.worse += decide_alone(ratio, band) == Verdict::worse ? 1.0 / rounds : 0;
    found.half_width += std::log(ratio.high / ratio.low) / 2 / rounds;
  }
  std::printf(
      "%zu launches a side that differ by 2 %%, true ratio %.2f: interval +-%.1f %%, holds it in %.1f %%, worse in %.1f %% of "
      "%d\n",
      count, true_ratio, 100 * found.half_width, 100 * found.covered, 100 * found.worse, rounds);
  return found;
}

}  // namespace

TEST_CASE(
    "the 95 % interval holds the true ratio in 93 % of simulations from 3 launches a side on, and worse is seldom said of the "
    "same",
    "[long]") {
  for (const std::size_t count : {3U, 5U, 8U, 20U}) {
    INFO("seed 17 + " << count);
    const Found found = simulate(count, 1, 0.01);
    CHECK(found.covered >= 0.93);
    CHECK(found.worse <= 0.01);
  }
}

TEST_CASE("the more launches, the more often 5 % are found", "[long]") {
  double before = 0;
  for (const std::size_t count : {3U, 5U, 8U, 20U}) {
    INFO("seed 17 + " << count);
    const double found = simulate(count, 1.05, 0.01).worse;
    CHECK(found > before);
    before = found;
  }
  CHECK(before >= 0.95);
}

TEST_CASE("a bootstrap comes out the same from the same seed alone") {
  Draws draws(1);
  const auto base = launches(draws, 5, 1e-3, 0.02, 0.1), next = launches(draws, 5, 1e-3, 0.02, 0.1);
  RatioOptions options;
  const Ratio first = ratio_of(base, next, options);
  CHECK(first.low == ratio_of(base, next, options).low);
  options.seed = 2;
  CHECK(first.low != ratio_of(base, next, options).low);
}

TEST_CASE("what samples leave unknown is 1.25 standard deviations by the root of what they are worth") {
  Draws draws(2);
  for (const double worth : {20.0, 200.0}) {
    std::vector<double> seconds;
    for (int i = 0; i < 20000; ++i) seconds.push_back(std::exp(0.1 * draws.normal()));
    const std::vector<Launch> one{*make_launch(seconds, worth)};
    const BootstrapVariance spread = bootstrap(one, 4000, 7);
    CHECK(spread.between == 0);
    INFO("worth " << worth);
    const double wanted = 0.1 * std::sqrt(std::numbers::pi / 2 / worth);
    CHECK_THAT(std::sqrt(spread.within), WithinAbs(wanted, 0.08 * wanted));
  }
}

TEST_CASE("one launch a side says nothing of how launches differ, unless somebody does") {
  Draws draws(4);
  const auto base = launches(draws, 1, 1e-3, 0, 0.001), next = launches(draws, 1, 1.2e-3, 0, 0.001);
  const Ratio unknown = ratio_of(base, next);
  CHECK_FALSE(unknown.bounded);
  CHECK_THAT(unknown.value, WithinAbs(1.2, 0.01));
  CHECK(decide_alone(unknown, 0.01) == Verdict::inconclusive);
  CHECK(p_within(unknown, 0.01) == 1);
  RatioOptions options;
  options.launch_noise = 0.02;
  const Ratio known = ratio_of(base, next, options);
  CHECK_THAT(known.error, WithinAbs(0.02 * std::numbers::sqrt2, 0.001));
  CHECK(decide_alone(known, 0.04) == Verdict::worse);
  CHECK(decide_alone(ratio_of(next, base, options), 0.04) == Verdict::better);
}

TEST_CASE("one new launch beside many of base is taken to differ as much as those do") {
  Draws draws(6);
  const auto base = launches(draws, 30, 1e-3, 0.02, 0.001), next = launches(draws, 1, 1.2e-3, 0, 0.001);
  const Ratio ratio = ratio_of(base, next);
  CHECK(ratio.bounded);
  CHECK(ratio.freedom == 29);
  CHECK_THAT(ratio.error, WithinAbs(0.02, 0.007));
  CHECK(decide_alone(ratio, 0.01) == Verdict::worse);
}

TEST_CASE("the verdict at the edges of the band") {
  const auto ratio = [](double low, double high) {
    Ratio made;
    made.value = std::sqrt(low * high);
    made.low = low;
    made.high = high;
    made.bounded = true;
    return made;
  };
  CHECK(decide_alone(ratio(0.995, 1.005), 0.01) == Verdict::same);
  CHECK(decide_alone(ratio(1.001, 1.009), 0.01) == Verdict::same);  // a change that is known and too small to matter
  CHECK(decide_alone(ratio(1.005, 1.03), 0.01) == Verdict::inconclusive);
  CHECK(decide_alone(ratio(1.0101, 1.03), 0.01) == Verdict::worse);
  CHECK(decide_alone(ratio(0.95, 0.99), 0.01) == Verdict::better);
  CHECK(decide_alone(ratio(0.8, 1.2), 0.01) == Verdict::inconclusive);
  CHECK(decide(ratio(1.02, 1.03), 0.01, 0.04, 0.95) == Verdict::worse);
  CHECK(decide(ratio(1.02, 1.03), 0.01, 0.2, 0.95) == Verdict::inconclusive);  // chance, among so many cases
  CHECK(decide(ratio(0.999, 1.001), 0.01, 1, 0.95) == Verdict::same);
}

TEST_CASE("p and the interval say the same of one case") {
  Draws draws(9);
  for (int round = 0; round < 100; ++round) {
    INFO("seed 9, round " << round);
    const auto base = launches(draws, 4, 1, 0.01, 0.01), next = launches(draws, 4, 1 + 0.08 * draws.uniform(), 0.01, 0.01);
    const Ratio ratio = ratio_of(base, next);
    const double p = p_within(ratio, 0.01);
    const Verdict alone = decide_alone(ratio, 0.01);
    if (std::fabs(p - 0.05) > 1e-9) CHECK((p < 0.05) == (alone == Verdict::worse || alone == Verdict::better));
  }
}

TEST_CASE("launches of garbage, one sample, and samples that are all the same") {
  CHECK_FALSE(make_launch({}, 1));
  CHECK_FALSE(make_launch(std::vector<double>{no_number, -1, 0}, 5));
  const auto garbled = make_launch(std::vector<double>{no_number, 2, 1, std::numeric_limits<double>::infinity()}, no_number);
  REQUIRE(garbled);
  CHECK(garbled->log_times.size() == 2);
  CHECK(garbled->effective == 2);
  CHECK(median_of(*garbled) == 0);  // the lower one
  CHECK(middle({1, 3}) == 2);
  CHECK(middle({5, 1, 3}) == 3);

  const std::vector<Launch> constant(3, *make_launch(std::vector<double>{1, 1}, 2));
  const std::vector<Launch> slower(3, *make_launch(std::vector<double>{2}, 0));
  const Ratio same = ratio_of(constant, constant), worse = ratio_of(constant, slower);
  CHECK(same.error < 1e-12);
  CHECK(decide_alone(same, 0.01) == Verdict::same);
  CHECK(p_within(same, 0.01) == 1);
  CHECK_THAT(worse.value, WithinAbs(2, 1e-12));
  CHECK(decide_alone(worse, 0.01) == Verdict::worse);
  CHECK(p_within(worse, 0.01) < 1e-9);
}
