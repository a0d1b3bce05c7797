// Adjusted p values against published ones, and what holds for any.
#include "base/statistics/adjust.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/statistics/draws.hpp"
#include "tests/test.hpp"

using namespace railgauge::compare;
using railgauge::test::WithinAbs;

TEST_CASE("Benjamini-Hochberg: the 15 p values of their paper, adjusted as R's p.adjust and SciPy do") {
  const std::vector<double> p{0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
                              0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.000};
  const std::vector<double> wanted{0.0015, 0.003, 0.0095,     0.035625, 0.0603,     0.06385714, 0.06385714, 0.0645,
                                   0.0765, 0.486, 0.58118182, 0.714875, 0.75323077, 0.81321429, 1};
  const std::vector<double> adjusted = benjamini_hochberg(p);
  for (std::size_t i = 0; i < p.size(); ++i) CHECK_THAT(adjusted[i], WithinAbs(wanted[i], 5e-9));
  CHECK(std::count_if(adjusted.begin(), adjusted.end(), [](double q) { return q <= 0.05; }) == 4);  // as the paper finds
}

TEST_CASE("Holm: four hypotheses") {  // 4 x 0.005, 3 x 0.01, 2 x 0.03, and 0.04, which may not fall below the one before
  const std::vector<double> adjusted = holm(std::vector<double>{0.01, 0.04, 0.03, 0.005});
  const std::vector<double> wanted{0.03, 0.06, 0.06, 0.02};
  for (std::size_t i = 0; i < wanted.size(); ++i) CHECK_THAT(adjusted[i], WithinAbs(wanted[i], 1e-12));
}

TEST_CASE("adjusted p values keep their order, lie between p and 1, and Holm's are the larger ones") {
  Draws draws(5);
  for (int round = 0; round < 100; ++round) {
    INFO("seed 5, round " << round);
    std::vector<double> p;
    for (std::size_t count = draws.below(30); p.size() < count;) p.push_back(std::pow(draws.uniform(), 3));
    const std::vector<double> strict = holm(p), mild = benjamini_hochberg(p);
    for (std::size_t i = 0; i < p.size(); ++i) {
      CHECK((p[i] <= mild[i] && mild[i] <= strict[i] * (1 + 1e-12) && strict[i] <= 1));
      for (std::size_t j = 0; j < p.size(); ++j)
        if (p[i] < p[j]) CHECK((strict[i] <= strict[j] && mild[i] <= mild[j]));
    }
  }
}

TEST_CASE("adjusting nothing, one, and what is no number") {
  CHECK(holm({}).empty());
  CHECK(holm(std::vector<double>{0.2})[0] == 0.2);
  const std::vector<double> p{0.01, std::numeric_limits<double>::quiet_NaN(), 0.04};
  CHECK(holm(p)[0] == 0.02);
  CHECK(std::isnan(holm(p)[1]));
  CHECK(std::isnan(benjamini_hochberg(p)[1]));
  CHECK(benjamini_hochberg(p)[2] == 0.04);
}
