// algbw and busbw against values worked out by hand from the definitions of nccl-tests.
#include <limits>

#include "base/bandwidth.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using railgauge::test::WithinAbs;

namespace {
struct Expectation {
  Collective collective;
  double algbw, busbw;
};
}  // namespace

TEST_CASE("1 GB in 1 s between 4 ranks") {
  const Expectation expectations[] = {
      {Collective::all_reduce, 1, 1.5},    {Collective::reduce_scatter, 1, 0.75},
      {Collective::all_gather, 1, 0.75},   {Collective::broadcast, 1, 1},
      {Collective::reduce, 1, 1},          {Collective::gather, 1, 0.75},
      {Collective::scatter, 1, 0.75},      {Collective::all_to_all, 1, 0.75},
      {Collective::all_to_all_v, 1, 0.75}, {Collective::send_receive, 1, 1},
      {Collective::hypercube, 0.75, 0.75}, {Collective::barrier, 0, 0},
      {Collective::ping_pong, 1, 1},       {Collective::stream, 1, 1},
      {Collective::bidirectional, 2, 1},   {Collective::incast, 3, 3},
      {Collective::outcast, 3, 3},         {Collective::permutation, 4, 1},
      {Collective::bisection, 4, 1},       {Collective::pairs, 1, 1},
  };
  CHECK(std::size(expectations) == collectives().size());
  for (const Expectation& expected : expectations) {
    INFO(name(expected.collective));
    const Bandwidth got = bandwidth(expected.collective, 4, 1'000'000'000, Seconds(1));
    CHECK_THAT(got.algbw, WithinAbs(expected.algbw, 1e-12));
    CHECK_THAT(got.busbw, WithinAbs(expected.busbw, 1e-12));
  }
}

TEST_CASE("the row of nccl-tests' documentation: 1 MiB all_reduce of 8 ranks in 36.12 us") {
  const Bandwidth got = bandwidth(Collective::all_reduce, 8, 1'048'576, Seconds(36.12e-6));
  CHECK_THAT(got.algbw, WithinAbs(29.03, 0.005));
  CHECK_THAT(got.busbw, WithinAbs(50.80, 0.005));
}

TEST_CASE("one rank crosses no link") {
  CHECK(bandwidth(Collective::all_reduce, 1, 1000, Seconds(1e-6)).busbw == 0);
  CHECK(bandwidth(Collective::all_reduce, 1, 1000, Seconds(1e-6)).algbw > 0);
  CHECK(bandwidth(Collective::all_to_all, 1, 1000, Seconds(1e-6)).busbw == 0);
}

TEST_CASE("no time, no bandwidth") {
  for (const double time : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    CHECK(bandwidth(Collective::broadcast, 2, 1000, Seconds(time)).algbw == 0);
    CHECK(bandwidth(Collective::broadcast, 2, 1000, Seconds(time)).busbw == 0);
  }
}
