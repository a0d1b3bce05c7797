// Disjoint pairs and the lists of who sends to whom, for many rank counts, windows and seeds.
#include "bench/schedule/traffic.hpp"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "bench/schedule/pairing.hpp"
#include "bench/schedule/verify/verify.hpp"
#include "tests/schedule/shapes.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

std::vector<Traffic> traffic_of_all(Collective collective, Shape shape) {
  std::vector<Traffic> all;
  for (shape.rank = 0; shape.rank < shape.ranks; ++shape.rank) all.push_back(traffic(collective, shape));
  return all;
}

// Every message that someone sends is one that its receiver expects, and the reverse, each once.
void check_both_ends(Collective collective, const Shape& shape) {
  const std::vector<Traffic> all = traffic_of_all(collective, shape);
  using Sent = std::pair<std::pair<std::int32_t, std::int32_t>, std::uint32_t>;
  std::multiset<Sent> sent, received;
  std::size_t busiest = 0;
  for (std::int32_t rank = 0; rank < shape.ranks; ++rank) {
    const Traffic& mine = all[static_cast<std::size_t>(rank)];
    for (const auto& [peer, nth] : mine.to) sent.insert({{rank, peer}, nth});
    for (const auto& [peer, nth] : mine.from) received.insert({{peer, rank}, nth});
    busiest = std::max({busiest, mine.to.size(), mine.from.size()});
  }
  INFO(name(collective) << ", " << shape.ranks << " ranks, root " << shape.root << ", window " << shape.window << ", seed "
                        << shape.seed << ", round " << shape.round);
  CHECK(sent == received);
  CHECK(std::set<Sent>(sent.begin(), sent.end()).size() == sent.size());
  CHECK(std::none_of(sent.begin(), sent.end(), [](const Sent& one) { return one.first.first == one.first.second; }));
  CHECK(busiest == busiest_end(collective, shape));
}

}  // namespace

TEST_CASE("pairs are disjoint in each round, and each two ranks are paired once") {
  for (std::int32_t ranks = 2; ranks <= 130; ++ranks) {
    std::set<std::pair<std::int32_t, std::int32_t>> met;
    const std::int32_t rounds = pairing_rounds(ranks);
    CHECK(rounds == (ranks % 2 == 0 ? ranks - 1 : ranks));
    bool symmetric = true;
    for (std::int32_t round = 0; round < rounds; ++round) {
      std::int32_t out = 0;
      for (std::int32_t rank = 0; rank < ranks; ++rank) {
        const std::int32_t other = partner(ranks, rank, round);
        if (other == nobody) {
          ++out;
          continue;
        }
        symmetric = symmetric && other >= 0 && other < ranks && other != rank && partner(ranks, other, round) == rank;
        if (rank < other) met.emplace(rank, other);
      }
      symmetric = symmetric && out == ranks % 2;
    }
    INFO(ranks << " ranks");
    CHECK(symmetric);
    CHECK(met.size() == static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks - 1) / 2);
  }
  CHECK(pairing_rounds(0) == 0);
  CHECK(pairing_rounds(1) == 0);
}

TEST_CASE("behind the rounds of all there is one for each pair, in which all others rest") {
  for (std::int32_t ranks = 2; ranks <= 17; ++ranks)
    for (std::int32_t one = 0; one < ranks; ++one)
      for (std::int32_t other = 0; other < ranks; ++other) {
        if (one == other) continue;
        const std::int32_t round = round_of_pair(ranks, one, other);
        INFO(ranks << " ranks, " << one << " and " << other);
        CHECK(round == round_of_pair(ranks, other, one));
        for (std::int32_t rank = 0; rank < ranks; ++rank)
          CHECK(partner(ranks, rank, round) == (rank == one ? other : rank == other ? one : nobody));
      }
}

TEST_CASE("whatever is sent is received, block by block") {
  for (const CollectiveRow& collective : collectives()) {
    if (!is_pattern(collective.collective)) continue;
    for (std::int32_t ranks = 2; ranks <= 17; ++ranks)
      for (const std::uint32_t window : {1U, 3U, 64U}) {
        Shape shape{ranks, 0, ranks / 2, 1};
        shape.window = window;
        shape.seed = window * 1000 + static_cast<std::uint64_t>(ranks);
        check_both_ends(collective.collective, shape);
      }
  }
}

TEST_CASE("a permutation is one cycle through all ranks, another one for another seed") {
  for (std::int32_t ranks = 2; ranks <= 40; ++ranks) {
    std::set<std::vector<std::int32_t>> seen;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      Shape shape{ranks, 0, 0, 1};
      shape.seed = seed;
      std::vector<std::int32_t> cycle{0};
      const std::vector<Traffic> all = traffic_of_all(Collective::permutation, shape);
      for (std::int32_t at = all[0].to[0].peer; at != 0 && cycle.size() <= all.size();
           at = all[static_cast<std::size_t>(at)].to[0].peer)
        cycle.push_back(at);
      INFO(ranks << " ranks, seed " << seed);
      CHECK(cycle.size() == static_cast<std::size_t>(ranks));
      seen.insert(cycle);
    }
    if (ranks > 6) CHECK(seen.size() > 15);
  }
}

TEST_CASE("each round of pairs is proved by itself, in one direction and in both") {
  const Algorithm& algorithm = *find_algorithm(Collective::pairs, "one_way");
  for (std::int32_t ranks = 2; ranks <= 13; ++ranks)
    for (std::int32_t round = 0; round < pairing_rounds(ranks); ++round)
      for (const Directions directions : {Directions::both, Directions::upward, Directions::downward}) {
        Shape shape{ranks, 0, 0, 1};
        shape.round = round;
        shape.directions = directions;
        check_both_ends(Collective::pairs, shape);
        INFO(ranks << " ranks, round " << round << ", directions " << static_cast<int>(directions));
        CHECK(verify(Collective::pairs, build_all(algorithm, shape), shape, {}).empty());
      }
}

TEST_CASE("patterns are proved for other windows and seeds too") {
  for (const Algorithm& algorithm : catalog()) {
    if (!is_pattern(algorithm.collective)) continue;
    for (std::int32_t ranks = 2; ranks <= 9; ++ranks)
      for (const std::uint32_t window : {1U, 2U, 31U}) {
        Shape shape{ranks, 0, 1, 1};
        shape.window = window;
        shape.seed = window;
        INFO(name(algorithm.collective) << ", " << ranks << " ranks, window " << window);
        CHECK(verify(algorithm.collective, build_all(algorithm, shape), shape, {}).empty());
      }
  }
}

TEST_CASE("ranks that stand idle have empty schedules, and no others") {
  for (const Algorithm& algorithm : catalog())
    for (std::int32_t ranks = 2; ranks <= 9; ++ranks)
      for (Shape shape : shapes_of(algorithm, ranks))
        for (shape.rank = 0; shape.rank < ranks; ++shape.rank) {
          INFO(name(algorithm.collective) << " " << algorithm.name << ", rank " << shape.rank << " of " << ranks);
          CHECK(takes_part(algorithm.collective, shape) == !algorithm.build(shape).rounds.empty());
        }
}

TEST_CASE("the time of a message is its share of the iteration") {
  Shape shape{4, 0, 0, 1};
  shape.window = 4;
  CHECK(time_share(Collective::ping_pong, shape) == 0.5);
  CHECK(time_share(Collective::stream, shape) == 0.25);
  CHECK(time_share(Collective::bidirectional, shape) == 0.25);
  CHECK(time_share(Collective::incast, shape) == 1);
}
