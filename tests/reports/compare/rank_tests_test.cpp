// Rank tests against published numbers, and properties that hold for any values.
#include "base/statistics/rank_tests.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "base/statistics/draws.hpp"
#include "tests/test.hpp"

using namespace railgauge::compare;
using railgauge::test::WithinAbs;

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t never_exact = 0;
using Values = std::vector<double>;

Values drawn(Draws& draws, std::size_t count, double steps) {  // whole numbers below `steps`: many ties where it is small
  Values values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(std::floor(draws.uniform() * steps));
  return values;
}

}  // namespace

TEST_CASE("Mann-Whitney: the example of SciPy's manual page, exact and normal") {
  const Values males{19, 22, 16, 29, 24}, females{20, 11, 17, 12};
  const auto exact = mann_whitney(males, females);
  REQUIRE(exact);
  CHECK(exact->u == 17);
  CHECK(exact->exact);
  CHECK_THAT(exact->p, WithinAbs(0.1111111111111111, 1e-12));
  const auto normal = mann_whitney(males, females, never_exact);
  CHECK_FALSE(normal->exact);
  CHECK_THAT(normal->p, WithinAbs(0.11134688653314041, 1e-12));
}

TEST_CASE("Mann-Whitney: permeability constants of Hollander and Wolfe, W = 35, as R's wilcox.test and SciPy have them") {
  const Values x{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}, y{1.15, 0.88, 0.90, 0.74, 1.21};
  CHECK(mann_whitney(x, y)->u == 35);
  CHECK_THAT(mann_whitney(x, y)->p, WithinAbs(0.2544122544123, 1e-12));
  CHECK_THAT(mann_whitney(x, y, never_exact)->p, WithinAbs(0.244623605127, 1e-12));
}

TEST_CASE("Mann-Whitney: ties are corrected for as R and SciPy do") {
  const Values x{1, 2, 3, 4};
  struct Row {
    Values y;
    double u, p;
  };
  const Row rows[] = {{{0.99, 1.99, 2.99, 3.99, 4.99}, 10, 1},
                      {{1, 1.99, 3, 3.99, 5}, 9, 0.9017048037317},
                      {{1, 2, 2.99, 4, 5}, 8.5, 0.804080657472},
                      {{1, 2, 3, 4, 5}, 8, 0.7086240584439},
                      {{1, 2, 3.01, 4, 5}, 7.5, 0.6197963884941},
                      {{1, 2.01, 3, 4.01, 5}, 7, 0.5368784563079},
                      {{1.01, 2.01, 3.01, 4.01, 5.01}, 6, 0.3912672792826}};
  for (const Row& row : rows) {
    INFO("U " << row.u);
    CHECK(mann_whitney(x, row.y, never_exact)->u == row.u);
    CHECK_THAT(mann_whitney(x, row.y, never_exact)->p, WithinAbs(row.p, 1e-12));
  }
}

TEST_CASE("Mann-Whitney: as few launches as 3 a side cannot give a p below 0.1, 5 cannot below 0.008") {
  CHECK_THAT(mann_whitney(Values{1, 2, 3}, Values{4, 5, 6})->p, WithinAbs(0.1, 1e-12));
  CHECK_THAT(mann_whitney(Values{1, 2, 3, 4, 5}, Values{6, 7, 8, 9, 10})->p, WithinAbs(2 / 252.0, 1e-12));
}

TEST_CASE("Mann-Whitney: exact and normal agree where there are many values") {
  Draws draws(11);
  Values x, y;
  for (int i = 0; i < 28; ++i) {
    x.push_back(draws.normal());
    y.push_back(draws.normal() + 0.4);
  }
  CHECK(mann_whitney(x, y)->exact);
  CHECK_THAT(mann_whitney(x, y)->p, WithinAbs(mann_whitney(x, y, never_exact)->p, 0.002));
}

TEST_CASE("Brunner-Munzel: the pain scores of the paper, as SciPy's manual page has them") {
  const Values x{1, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 1, 1}, y{3, 3, 4, 3, 1, 2, 3, 1, 1, 5, 4};
  const auto result = brunner_munzel(x, y);
  REQUIRE(result);
  CHECK_THAT(result->statistic, WithinAbs(3.1374674823029505, 1e-12));
  CHECK_THAT(result->p, WithinAbs(0.0057862086661515377, 1e-12));
  CHECK_THAT(brunner_munzel(y, x)->statistic, WithinAbs(-3.1374674823029505, 1e-12));
}

TEST_CASE("Cliff's delta: the example of R's package effsize") {
  const Values treatment{10, 10, 20, 20, 20, 30, 30, 30, 40, 50}, control{10, 20, 30, 40, 40, 50};
  CHECK_THAT(*cliffs_delta(treatment, control), WithinAbs(0.25, 1e-12));  // here positive where the second is larger
  CHECK_THAT(*cliffs_delta(control, treatment), WithinAbs(-0.25, 1e-12));
  CHECK(*cliffs_delta(Values{1, 2}, Values{3, 4}) == 1);
}

TEST_CASE("rank tests: sides that change places, and any rising transformation, change nothing but the sign") {
  Draws draws(3);
  for (int round = 0; round < 200; ++round) {
    INFO("seed 3, round " << round);
    const double steps = round % 2 == 0 ? 6 : 1e6;
    const Values x = drawn(draws, 1 + draws.below(12), steps), y = drawn(draws, 1 + draws.below(12), steps);
    Values bent_x = x, bent_y = y;
    for (double& value : bent_x) value = std::log1p(value);
    for (double& value : bent_y) value = std::log1p(value);
    const auto forth = mann_whitney(x, y), back = mann_whitney(y, x), bent = mann_whitney(bent_x, bent_y);
    CHECK(forth->u + back->u == static_cast<double>(x.size() * y.size()));
    CHECK_THAT(forth->p, WithinAbs(back->p, 1e-12));
    CHECK(forth->p == bent->p);
    CHECK((forth->p > 0 && forth->p <= 1));
    CHECK(*cliffs_delta(x, y) == -*cliffs_delta(y, x));
    CHECK(std::fabs(*cliffs_delta(x, y)) <= 1);
    const auto munzel = brunner_munzel(x, y), turned = brunner_munzel(y, x);
    CHECK(munzel.has_value() == turned.has_value());
    if (munzel) CHECK_THAT(munzel->p, WithinAbs(turned->p, 1e-9));
  }
}

TEST_CASE("rank tests: what holds nothing, one value, equal values or no numbers") {
  const Values none, one{1}, equal{2, 2, 2}, garbage{no_number, 1, std::numeric_limits<double>::infinity(), 2, no_number};
  CHECK_FALSE(mann_whitney(none, one));
  CHECK_FALSE(mann_whitney(Values{no_number}, one));
  CHECK_FALSE(cliffs_delta(one, none));
  CHECK_FALSE(brunner_munzel(one, equal));
  CHECK_FALSE(brunner_munzel(equal, equal));                   // no variance
  CHECK_FALSE(brunner_munzel(Values{1, 2, 3}, Values{4, 5}));  // one side above the other: the same
  CHECK(mann_whitney(one, Values{2})->p == 1);
  CHECK(mann_whitney(equal, equal)->p == 1);
  CHECK(*cliffs_delta(equal, equal) == 0);
  CHECK(mann_whitney(garbage, Values{3, 4})->u == mann_whitney(Values{1, 2}, Values{3, 4})->u);
}
