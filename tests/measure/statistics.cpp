// Quantiles, autocorrelation and intervals against values known by other means.
#include "base/statistics/samples.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

TEST_CASE("nearest rank gives values that occurred") {
  const std::vector<double> four{1, 2, 3, 4};
  CHECK(nearest_rank(four, 0) == 1);
  CHECK(nearest_rank(four, 0.25) == 1);
  CHECK(nearest_rank(four, 0.5) == 2);
  CHECK(nearest_rank(four, 0.51) == 3);
  CHECK(nearest_rank(four, 1) == 4);
  std::vector<double> twenty, thousand;
  for (int i = 1; i <= 20; ++i) twenty.push_back(i);
  for (int i = 1; i <= 1000; ++i) thousand.push_back(i);
  CHECK(nearest_rank(twenty, 0.95) == 19);
  CHECK(nearest_rank(thousand, 0.99) == 990);
  CHECK(nearest_rank(std::vector<double>{7}, 0.99) == 7);
}

TEST_CASE("the ranks of the median's interval are those of Hoefler and Belli") {
  // n = 100, z = 1.96: floor((100 - 19.6) / 2) = 40, ceil(1 + (100 + 19.6) / 2) = 61.
  const MedianRanks hundred = median_ranks(100, 100, 0.95);
  CHECK(hundred.low == 40);
  CHECK(hundred.high == 61);
  CHECK(hundred.bounded);
  // A quarter of the information: twice the width.
  const MedianRanks correlated = median_ranks(100, 25, 0.95);
  CHECK(correlated.low == 30);
  CHECK(correlated.high == 71);
  const MedianRanks few = median_ranks(5, 5, 0.95);
  CHECK_FALSE(few.bounded);
  CHECK(few.low == 1);
  CHECK(few.high == 5);
}

TEST_CASE("a summary of ten numbers") {
  const std::vector<double> samples{9, 1, 8, 2, 7, 3, 6, 4, 5, 100};
  const Statistics s = summarise(samples);
  CHECK(s.samples == 10);
  CHECK(s.min == 1);
  CHECK(s.median == 5);
  CHECK(s.p95 == 100);
  CHECK(s.max == 100);
  CHECK(s.mad == 2);  // distances 0 1 1 2 2 3 3 4 4 95
  CHECK(summarise({}).samples == 0);
}

TEST_CASE("equal samples are independent and have an interval of no width") {
  const Statistics s = summarise(std::vector<double>(200, 3.0));
  CHECK(s.effective_samples == 200);
  CHECK(s.ci_low == 3);
  CHECK(s.ci_high == 3);
  CHECK(s.precision() == 0);
  CHECK(s.mad == 0);
}

TEST_CASE("the autocorrelation time of AR(1) noise is the one of its signs") {
  // The sign of a Gaussian AR(1) has autocorrelation (2 / pi) asin(phi^k) (arcsine law).
  for (const double phi : {0.0, 0.6, 0.9}) {
    double exact = 1;
    for (int k = 1; k < 1000; ++k) exact += 2 * 2 / std::acos(-1.0) * std::asin(std::pow(phi, k));
    double mean = 0;
    constexpr int runs = 20;
    for (int run = 0; run < runs; ++run) {
      std::mt19937_64 generator(static_cast<std::uint64_t>(run) + 1);
      std::normal_distribution<double> normal;
      std::vector<double> samples;
      double x = normal(generator);
      for (int i = 0; i < 20000; ++i) {
        samples.push_back(x);
        x = phi * x + std::sqrt(1 - phi * phi) * normal(generator);
      }
      mean += autocorrelation_time(samples) / runs;
    }
    INFO("phi " << phi << " seeds 1 to " << runs << " exact " << exact << " found " << mean);
    CHECK(mean >= 0.97 * exact);
    CHECK(mean <= 1.10 * exact);
  }
}

TEST_CASE("a clock that ticks coarsely does not hide correlation") {
  // Long runs of two values, most of them equal to the median.
  std::vector<double> samples;
  for (int i = 0; i < 4000; ++i) samples.push_back(i / 50 % 3 == 0 ? 2.0 : 1.0);
  CHECK(autocorrelation_time(samples) > 10);
}

TEST_CASE("a hundred thousand samples that never forget are summarised in bounded work") {
  std::vector<double> ramp;
  for (int i = 0; i < 100'000; ++i) ramp.push_back(i);
  const Statistics s = summarise(ramp);
  CHECK(s.median == 49'999);
  CHECK(s.effective_samples < 60);
  CHECK_FALSE(s.precision() <= 0.01);
}
