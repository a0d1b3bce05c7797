// What hosts add to latencies, of made-up fleets in which any share of them adds too much.
#include "bench/validate/method/delays.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/statistics/draws.hpp"
#include "bench/validate/method/tournament.hpp"
#include "tests/test.hpp"

namespace railgauge::validate {
namespace {

constexpr double microsecond = 1e-6;

struct Made {
  Fleet fleet;
  std::vector<double> adds;  // seconds, by host and rail
  double scatter = 0.03;     // as a share of a latency
  double disturbed = 0.02;   // share of latencies that are far off
  std::mt19937_64 random;

  Made(Index hosts, Index rails, std::uint64_t seed) : adds(std::size_t{hosts} * rails, 0), random(seed) {
    fleet.rails = rails;
    for (Index i = 0; i < hosts; ++i) fleet.hosts.push_back({"n" + std::to_string(i), "", npos, {}});
  }
  double& of(Index host, Index rail) { return adds[std::size_t{host} * fleet.rails + rail]; }

  // Models come at different distances by 5 us each.
  double path(Index a, Index b) const { return (20 + (fleet.hosts[a].model == fleet.hosts[b].model ? 0 : 5)) * microsecond; }

  std::vector<Latency> measure(Index rounds, std::uint64_t seed, Index first = 0) {
    std::vector<Latency> all;
    Index number = first;
    std::normal_distribution<double> normal(0, scatter);
    std::uniform_real_distribution<double> share;
    for (const Round& round : tournament(fleet, {rounds, seed})) {
      for (const Pair& pair : round.pairs)
        for (Index rail = 0; rail < fleet.rails; ++rail) {
          double latency = (path(pair.a, pair.b) + of(pair.a, rail) + of(pair.b, rail)) * std::exp(normal(random));
          if (share(random) < disturbed) latency *= 1 + 5 * share(random);
          all.push_back({pair.a, pair.b, rail, number, Seconds(latency), {}});
        }
      ++number;
    }
    return all;
  }
};

struct Named {
  std::set<std::pair<Index, Index>> late, open;  // host and rail
  bool many = false;
};

Named judge(Made& made, std::uint64_t seed) {
  const Index rounds = made.fleet.hosts.size() <= 4 ? 12 : 8;
  const std::vector<Latency> latencies = made.measure(rounds, seed);
  std::vector<Delays> delays;
  for (Index rail = 0; rail < made.fleet.rails; ++rail) delays.push_back(delays_of(made.fleet, latencies, rail));
  const LateHosts seen = late_hosts(made.fleet, delays);
  Named named;
  named.many = seen.many;
  if (!seen.many) return named;
  const ConfirmedLate confirmed =
      confirmed_late(made.fleet, seen.late, made.measure(looks_at_late + 1, seed + 1, rounds), delays);
  for (const Late& it : confirmed.late) named.late.insert({it.host, it.rail});
  for (const Late& it : confirmed.open) named.open.insert({it.host, it.rail});
  return named;
}

std::vector<Index> shuffled(Index count, std::uint64_t seed) {
  std::vector<Index> hosts(count);
  std::iota(hosts.begin(), hosts.end(), 0);
  std::mt19937_64 random(seed);
  std::shuffle(hosts.begin(), hosts.end(), random);
  return hosts;
}

TEST_CASE("delays: who adds to latency is found, whatever share of the hosts does") {
  unsigned runs = 0, exact = 0;
  for (const Index hosts : {3U, 4U, 5U, 6U, 8U, 17U})
    for (Index late = hosts / 4 + 1; late < hosts; ++late)  // localise() finds fewer
      for (const double adds : {50.0, 1000.0})
        for (std::uint64_t seed = 1; seed <= 3; ++seed) {
          Made made(hosts, 1, seed * 1000 + hosts * 37 + late);
          std::set<std::pair<Index, Index>> wanted;
          const std::vector<Index> order = shuffled(hosts, seed + late);
          for (Index i = 0; i < late; ++i) {
            made.of(order[i], 0) = adds * microsecond;
            wanted.insert({order[i], 0});
          }
          const Named named = judge(made, seed);
          INFO(late << " of " << hosts << " hosts add " << adds << " us, seed " << seed);
          for (const auto& it : named.late) CHECK(wanted.contains(it));
          ++runs;
          exact += named.late == wanted ? 1U : 0U;
        }
  INFO(exact << " of " << runs);
  CHECK(exact >= 0.97 * runs);
}

TEST_CASE("delays: hosts that add different times are all found, on their rails alone") {
  Made made(8, 2, 5);
  std::set<std::pair<Index, Index>> wanted;
  for (Index host = 0; host < 5; ++host) {
    made.of(host, 1) = (100 + 200 * host) * microsecond;
    wanted.insert({host, 1});
  }
  CHECK(judge(made, 7).late == wanted);
}

TEST_CASE("delays: of hosts that add nothing, none is found, however latencies scatter") {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Made made(static_cast<Index>(3 + seed % 10), static_cast<Index>(1 + seed % 2), seed);
    made.scatter = seed % 3 == 0 ? 0.3 : 0.05;
    made.disturbed = seed % 4 == 0 ? 0.2 : 0.02;
    INFO("seed " << seed);
    CHECK(judge(made, seed).late.empty());
  }
}

TEST_CASE("delays: latencies that are no sums of what hosts add tell nothing of hosts") {
  Made made(4, 1, 1);
  // Two hosts that are slow with each other alone: were that the sum of what they add, two of the others would take less than
  // nothing.
  std::vector<Latency> all;
  for (Index round = 0; round < 3; ++round)
    for (const auto& [a, b] : {std::pair<Index, Index>{0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}})
      all.push_back({a, b, 0, round, Seconds((a == 2 ? 40 : 9) * microsecond), {}});
  const std::vector<Delays> delays{delays_of(made.fleet, all, 0)};
  REQUIRE(delays[0].hosts[2].adds.count() > 10 * microsecond);
  CHECK(late_hosts(made.fleet, delays).late.empty());
}

TEST_CASE("delays: hosts of another model are another kind of host") {
  Made made(8, 1, 11);
  for (Index host = 0; host < 4; ++host) {
    made.fleet.hosts[host].model = "old";
    made.of(host, 0) = 60 * microsecond;
  }
  CHECK_FALSE(judge(made, 3).many);
}

TEST_CASE("delays: nothing, one pair and hosts that were never measured are no fault") {
  Made made(4, 1, 1);
  const std::vector<Delays> none{delays_of(made.fleet, {}, 0)};
  CHECK(late_hosts(made.fleet, none).late.empty());
  const std::vector<Latency> one{
      {0, 1, 0, 0, Seconds(1e-3), {}}, {0, 1, 0, 1, Seconds(-1), {}}, {2, 3, 0, 1, Seconds(INFINITY), {}}};
  const std::vector<Delays> some{delays_of(made.fleet, one, 0)};
  CHECK(some.front().hosts[0].measured == 1);
  CHECK(std::isnan(some.front().hosts[2].adds.count()));
  CHECK_FALSE(late_hosts(made.fleet, some).many);
}

}  // namespace
}  // namespace railgauge::validate
