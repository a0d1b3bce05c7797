// Rounds of pairs: nobody twice in a round, nobody met again too early, near and far, one after the other.
#include "bench/validate/method/tournament.hpp"

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "tests/test.hpp"
#include "tests/validate/simulator.hpp"

using namespace railgauge;
using namespace railgauge::validate;
using namespace railgauge::test;

namespace {

Fleet hosts(Index count) {
  Fleet fleet;
  for (Index i = 0; i < count; ++i) fleet.hosts.push_back({std::to_string(i), "", npos, {}});
  return fleet;
}

// What holds for all of them; empty where it does.
std::string flaw(const Fleet& fleet, const std::vector<Round>& rounds, Index asked) {
  const auto count = static_cast<Index>(fleet.hosts.size());
  if (rounds.size() != asked) return "another number of rounds than asked for";
  std::set<std::pair<Index, Index>> met;
  std::vector<Index> times(count);
  const Index cycle = count - 1 + count % 2;
  Index number = 0;
  for (const Round& round : rounds) {
    if (number++ % cycle == 0) met.clear();
    if (round.pairs.size() != count / 2) return "somebody rests who need not";
    std::vector<bool> seen(count);
    for (const Pair& pair : round.pairs) {
      if (pair.a >= count || pair.b >= count || pair.a == pair.b) return "no pair of hosts";
      if (seen[pair.a] || seen[pair.b]) return "a host is in two pairs of a round";
      seen[pair.a] = seen[pair.b] = true;
      ++times[pair.a];
      ++times[pair.b];
      if (!met.insert(std::minmax(pair.a, pair.b)).second) return "two meet again before they must";
    }
  }
  const auto [least, most] = std::minmax_element(times.begin(), times.end());
  if (*most - *least > 1) return "some are measured more often than others";
  return {};
}

}  // namespace

TEST_CASE("a tournament is fair for 2 to 200 hosts and for 2,048") {
  constexpr std::uint64_t seed = 77;
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  for (Index count = 2; count <= 200; ++count) {
    const Fleet fleet = hosts(count);
    std::set<Index> asked{1, 4, 8, 16};
    if (count <= 40 || count % 23 == 0) asked.insert({count / 2, count / 2 + 1, count - 1, count, count + 1, 2 * count + 3});
    for (const Index rounds : asked) {
      INFO(count << " hosts, " << rounds << " rounds");
      CHECK(flaw(fleet, tournament(fleet, {std::max(1U, rounds), seed + count}), std::max(1U, rounds)).empty());
    }
  }
  const Fleet large = fleet_of(tree_of_2048());
  CHECK(flaw(large, tournament(large, {16, seed}), 16).empty());
}

TEST_CASE("a tournament takes turns between near and far") {
  const Fleet fleet = fleet_of(tree_of_128());
  const std::vector<Round> rounds = tournament(fleet, {15, 5});
  CHECK(flaw(fleet, rounds, 15).empty());
  std::set<Distance> aims;
  for (const Round& round : rounds) {
    aims.insert(round.aim);
    const auto as_aimed = std::count_if(round.pairs.begin(), round.pairs.end(),
                                        [&](const Pair& pair) { return distance(fleet, pair.a, pair.b, 0) == round.aim; });
    CHECK(as_aimed >= 58);  // of 64: a few hosts are left over in their leaf
  }
  CHECK(aims == std::set<Distance>{Distance::leaf, Distance::pod, Distance::pods});
}

TEST_CASE("a tournament is repeated by its seed, and only by it") {
  const Fleet fleet = fleet_of(tree_of_128());
  const auto pairs = [&](std::uint64_t seed) {
    std::vector<Pair> all;
    for (const Round& round : tournament(fleet, {4, seed})) all.insert(all.end(), round.pairs.begin(), round.pairs.end());
    return all;
  };
  CHECK(pairs(3) == pairs(3));
  CHECK_FALSE(pairs(3) == pairs(4));
}

TEST_CASE("a tournament needs two hosts") {
  CHECK_THROWS_AS(tournament(hosts(1), {}), Error);
  CHECK_THROWS_AS(tournament(Fleet{}, {}), Error);
  CHECK(tournament(hosts(2), {3, 1}).size() == 3);
  CHECK(tournament(hosts(2), {0, 1}).empty());
}
