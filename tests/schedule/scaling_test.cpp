// premulsum and avg: each contribution is multiplied exactly once, each result divided exactly once.
#include <algorithm>

#include "base/error.hpp"
#include "bench/schedule/verify/scaling.hpp"
#include "tests/schedule/shapes.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

TEST_CASE("a ring reads its neighbour's and its own contribution first, and divides last") {
  const Algorithm& ring = *find_algorithm(Collective::all_reduce, "ring");
  const Shape shape{4, 0, 0, 1};
  const auto found = scaling(Collective::all_reduce, build_all(ring, shape), shape, 1);
  REQUIRE(found.size() == 6);
  // Each of the first three rounds copies the own block and adds what came.
  REQUIRE(found[0].size() == 2);
  CHECK(found[0][0] == Scaling{});
  CHECK(found[0][1] == Scaling{0, 1, false});
  CHECK(found[1][1] == Scaling{-1, 1, false});
  CHECK(found[2][1] == Scaling{-1, 1, true});
  CHECK(found[3].empty());
}

// The share of each rank's blocks that is multiplied cannot be seen from the outside, but with one block it can be counted.
TEST_CASE("a tree multiplies every contribution once and divides once") {
  for (const char* algorithm_name : {"binomial", "direct"}) {
    const Algorithm& algorithm = *find_algorithm(Collective::reduce, algorithm_name);
    for (std::int32_t ranks = 2; ranks <= 33; ++ranks) {
      const Shape shape{ranks, 0, ranks / 3, 1};
      const std::vector<Schedule> schedules = build_all(algorithm, shape);
      std::vector<int> multiplied(static_cast<std::size_t>(ranks));
      int divided = 0;
      for (std::int32_t rank = 0; rank < ranks; ++rank) {
        for (const auto& round : scaling(Collective::reduce, schedules, shape, rank)) {
          for (const Scaling& scaled : round) {
            if (scaled.source_of >= 0) ++multiplied[static_cast<std::size_t>(scaled.source_of)];
            if (scaled.target_of >= 0) ++multiplied[static_cast<std::size_t>(scaled.target_of)];
            divided += scaled.last ? 1 : 0;
          }
        }
      }
      INFO(algorithm_name << ", " << ranks << " ranks");
      CHECK(std::all_of(multiplied.begin(), multiplied.end(), [](int times) { return times == 1; }));
      CHECK(divided == 1);
    }
  }
}

TEST_CASE("every reducing algorithm scales uniformly within each local") {
  for (const Algorithm& algorithm : catalog()) {
    if (!row(algorithm.collective).reduces) continue;
    for (std::int32_t ranks = 1; ranks <= 17; ++ranks) {
      for (const Shape& shape : shapes_of(algorithm, ranks)) {
        const std::vector<Schedule> schedules = build_all(algorithm, shape);
        int divided = 0;
        for (std::int32_t rank = 0; rank < ranks; ++rank) {
          const auto found = scaling(algorithm.collective, schedules, shape, rank);
          if (algorithm.in_place) CHECK(scaling(algorithm.collective, schedules, shape, rank, true) == found);
          REQUIRE(found.size() == schedules[static_cast<std::size_t>(rank)].rounds.size());
          for (std::size_t i = 0; i < found.size(); ++i) {
            REQUIRE(found[i].size() == schedules[static_cast<std::size_t>(rank)].rounds[i].locals.size());
            for (const Scaling& scaled : found[i]) divided += scaled.last ? 1 : 0;
          }
        }
        if (ranks > 1) CHECK(divided > 0);
      }
    }
  }
}

// In place, a copy from input to output does nothing, so a reduction before it finds the rank's own contribution there.
TEST_CASE("in place, the output begins with the rank's own contribution") {
  for (const Collective collective : {Collective::all_reduce, Collective::reduce, Collective::reduce_scatter}) {
    const std::uint32_t blocks = collective == Collective::reduce_scatter ? 2 : 1;
    const Blocks landed{Buffer::scratch, 0, 1, 0};
    const Blocks sum{Buffer::output, 0, 1, 0};
    Schedule receiver{blocks, 1, {}};
    receiver.rounds.push_back(
        {{{Transfer::Kind::receive, 0, landed}},
         {{Local::Kind::reduce, landed, sum}, {Local::Kind::copy, {Buffer::input, blocks - 1, 1, 0}, sum}}});
    Schedule sender{blocks, 0, {}};
    sender.rounds.push_back({{{Transfer::Kind::send, 1, {Buffer::input, blocks - 1, 1, 0}}}, {}});
    const std::vector<Schedule> schedules{sender, receiver};
    const auto found = scaling(collective, schedules, Shape{2, 0, 1, 1}, 1, true);
    CHECK(found[0][0] == Scaling{0, 1, true});
  }
}

TEST_CASE("scaling reaches 1024 ranks, and refuses what is not uniform", "[long]") {
  const Algorithm& ring = *find_algorithm(Collective::reduce_scatter, "ring");
  const Shape shape{1024, 0, 0, 1};
  const auto found = scaling(Collective::reduce_scatter, build_all(ring, shape), shape, 1023);
  CHECK(found.front().front() == Scaling{1023, 1022, false});
  CHECK(found.back().back().last);

  // Block 0 of the target holds two contributions, block 1 one.
  const Blocks landed{Buffer::scratch, 0, 2, 0};
  const Blocks sum{Buffer::output, 0, 2, 0};
  Schedule receiver{2, 2, {}};
  receiver.rounds.push_back({{{Transfer::Kind::receive, 1, landed}},
                             {{Local::Kind::copy, {Buffer::input, 0, 2, 0}, sum},
                              {Local::Kind::reduce, {Buffer::scratch, 0, 1, 0}, {Buffer::output, 0, 1, 0}},
                              {Local::Kind::reduce, landed, sum}}});
  Schedule sender{2, 0, {}};
  sender.rounds.push_back({{{Transfer::Kind::send, 0, {Buffer::input, 0, 2, 0}}}, {}});
  const std::vector<Schedule> mixed{receiver, sender};
  CHECK_THROWS_AS(scaling(Collective::all_reduce, mixed, Shape{2, 0, 0, 1}, 0), Error);
}
