// Steps that are found where they are, and outliers, which are none.
#include "base/statistics/change_points.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "tests/reports/compare/histories.hpp"
#include "tests/test.hpp"

using namespace railgauge::compare;
using railgauge::test::history_of;
using railgauge::test::median_over_cases;
using railgauge::test::no_step;
using railgauge::test::Pipeline;
using railgauge::test::WithinAbs;

namespace {

using Points = std::vector<std::size_t>;
using Find = Points (*)(std::span<const double>);

Points by_median(std::span<const double> history) { return pelt(history); }
Points by_mean(std::span<const double> history) {
  PeltOptions options;
  options.cost = PeltOptions::Cost::mean;
  return pelt(history, options);
}

struct Tally {
  double placed = 0;   // share of histories with a step within 3 runs of the true one
  double further = 0;  // steps a history that are further off, or of which there is none in truth
};

// Of all cases together, or of each case for itself.
Tally simulate(const char* name, Find find, const Pipeline& pipeline, bool together, bool with_step, std::uint64_t seed) {
  constexpr int histories = 100;
  constexpr std::size_t runs = 60;
  Draws draws(seed);
  Tally tally;
  std::size_t looked_at = 0;
  for (int i = 0; i < histories; ++i) {
    const std::size_t step = with_step ? 15 + draws.below(31) : no_step;
    const auto cases = history_of(pipeline, runs, step, draws);
    for (std::size_t series = 0; series < (together ? 1U : 4U); ++series) {  // of the 40 alike, four
      const Points points = find(together ? median_over_cases(cases) : cases[series]);
      const auto near = std::count_if(points.begin(), points.end(),
                                      [&](std::size_t at) { return with_step && at + 3 >= step && at <= step + 3; });
      tally.placed += near > 0 ? 1 : 0;
      tally.further += static_cast<double>(points.size()) - (near > 0 ? 1 : 0);
      ++looked_at;
    }
  }
  tally.placed /= static_cast<double>(looked_at);
  tally.further /= static_cast<double>(looked_at);
  std::printf("%s, %s, %s: placed within 3 runs in %.1f %%, %.3f other steps a history of %zu runs (seed %llu, %zu series)\n",
              name, together ? "median over 40 cases" : "one case", with_step ? "step of -5 %" : "no step", 100 * tally.placed,
              tally.further, runs, static_cast<unsigned long long>(seed), looked_at);
  return tally;
}

}  // namespace

TEST_CASE("a step of -5 % among launch noise of 2 % and spikes of -10 % is placed within 3 runs in at least 95 % of histories") {
  const Pipeline pipeline;
  for (const std::uint64_t seed : {101U, 7201U}) {  // of the second nothing was known when the penalties were chosen
    const Tally median = simulate("pelt, median", by_median, pipeline, true, true, seed);
    CHECK(median.placed >= 0.95);
    CHECK(median.further <= 0.05);
  }
}

TEST_CASE("the same step in a single case, spikes in single cases included") {
  Pipeline pipeline;
  pipeline.spikes = 0.015;
  pipeline.case_spikes = 0.015;
  CHECK(simulate("pelt, median", by_median, pipeline, false, true, 102).placed >= 0.90);
}

TEST_CASE("noise and spikes alone are hardly ever taken for steps") {
  const Pipeline pipeline;
  CHECK(simulate("pelt, median", by_median, pipeline, true, false, 103).further <= 0.05);
  CHECK(simulate("pelt, median", by_median, pipeline, false, false, 103).further <= 0.05);
}

TEST_CASE("a step without noise is found exactly, by each of them") {
  std::vector<double> history(40, 1.0);
  for (std::size_t i = 17; i < history.size(); ++i) history[i] = 2;
  for (const Find find : {by_median, by_mean}) CHECK(find(history) == Points{17});
}

TEST_CASE("two steps, and their levels") {
  Draws draws(8);
  std::vector<double> history;
  for (std::size_t i = 0; i < 90; ++i) history.push_back((i < 30 ? 1.0 : i < 60 ? 1.5 : 1.2) + 0.02 * draws.normal());
  for (const Find find : {by_median, by_mean}) {
    const Points points = find(history);
    REQUIRE(points == Points{30, 60});
    const std::vector<Step> steps = steps_at(history, points);
    CHECK_THAT(steps[0].before, WithinAbs(1.0, 0.02));
    CHECK_THAT(steps[0].after, WithinAbs(1.5, 0.02));
    CHECK_THAT(steps[1].before, WithinAbs(1.5, 0.02));
    CHECK_THAT(steps[1].after, WithinAbs(1.2, 0.02));
  }
}

TEST_CASE("pruning leaves the best cuts as they are: every segmentation of a short history, tried") {
  Draws draws(12);
  for (int round = 0; round < 60; ++round) {
    INFO("seed 12, round " << round);
    std::vector<double> history;
    for (std::size_t i = 0; i < 14; ++i)
      history.push_back(std::floor(4 * draws.uniform()) + (i > 6 ? 2 : 0) + 0.01 * draws.normal());
    PeltOptions options;
    options.cost = PeltOptions::Cost::mean;
    options.min_segment = 2;
    options.penalty = 1 + 6 * draws.uniform();
    const double noise = noise_of(history);
    const auto price = [&](const Points& points) {
      double sum = *options.penalty * static_cast<double>(points.size());
      std::size_t first = 0;
      for (std::size_t i = 0; i <= points.size(); ++i) {
        const std::size_t end = i < points.size() ? points[i] : history.size();
        double mean = 0;
        for (std::size_t k = first; k < end; ++k) mean += history[k] / static_cast<double>(end - first);
        for (std::size_t k = first; k < end; ++k) sum += (history[k] - mean) * (history[k] - mean) / (noise * noise);
        first = end;
      }
      return sum;
    };
    double least = price({});
    for (unsigned cuts = 1; cuts < 1U << 13U; ++cuts) {
      Points points;
      for (std::size_t at = 1; at < 14; ++at)
        if (((cuts >> (at - 1)) & 1U) != 0) points.push_back(at);
      Points ends = points;
      ends.push_back(14);
      bool long_enough = true;
      for (std::size_t i = 0; i < ends.size(); ++i) long_enough = long_enough && ends[i] - (i == 0 ? 0 : ends[i - 1]) >= 2;
      if (long_enough) least = std::min(least, price(points));
    }
    CHECK_THAT(price(pelt(history, options)), WithinAbs(least, 1e-9 * least));
  }
}

TEST_CASE("histories that are too short, constant, or of two spikes side by side have no step") {
  const std::vector<double> constant(50, 3.0), few{1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<double> spiked(50, 1.0);
  Draws draws(4);
  for (double& value : spiked) value += 0.01 * draws.normal();
  spiked[20] = spiked[21] = 2;
  for (const Find find : {by_median}) {
    CHECK(find({}).empty());
    CHECK(find(few).empty());
    CHECK(find(constant).empty());
    CHECK(find(spiked).empty());
  }
  CHECK(noise_of({}) == 0);
  CHECK(noise_of(constant) == 0);
  CHECK(steps_at(constant, {}).empty());
}
