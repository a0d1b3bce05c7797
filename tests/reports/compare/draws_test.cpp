// The generator against its published numbers, and what its draws must look like.
#include "base/statistics/draws.hpp"

#include <cmath>
#include <vector>

#include "tests/test.hpp"

using namespace railgauge::compare;
using railgauge::test::WithinAbs;

TEST_CASE("SplitMix64 from seed 1234567, as Rosetta Code prints it") {
  Draws draws(1234567);
  for (const std::uint64_t wanted :
       {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL, 4593380528125082431ULL, 16408922859458223821ULL})
    CHECK(draws.next() == wanted);
}

TEST_CASE("uniform and normal draws have their moments, and places are all drawn alike") {
  constexpr int count = 200'000;
  Draws draws(3);
  double uniform = 0, normal = 0, squares = 0, beyond = 0;
  std::vector<int> places(7);
  for (int i = 0; i < count; ++i) {
    const double share = draws.uniform(), value = draws.normal();
    if (share <= 0 || share >= 1) FAIL("a share of " << share);
    uniform += share / count;
    normal += value / count;
    squares += value * value / count;
    beyond += std::fabs(value) > 1.959964 ? 1.0 / count : 0;
    ++places.at(draws.below(places.size()));
  }
  CHECK_THAT(uniform, WithinAbs(0.5, 0.003));  // four and a half standard errors, as those below
  CHECK_THAT(normal, WithinAbs(0, 0.01));
  CHECK_THAT(squares, WithinAbs(1, 0.015));
  CHECK_THAT(beyond, WithinAbs(0.05, 0.0025));
  for (const int drawn : places) CHECK_THAT(drawn / (count / 7.0), WithinAbs(1, 0.03));
}
