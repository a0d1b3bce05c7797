// Capacities of hosts of simulated fleets, whatever share of them is slow.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "bench/validate/method/capacity.hpp"
#include "bench/validate/method/tournament.hpp"
#include "tests/test.hpp"
#include "tests/validate/settle.hpp"

namespace railgauge::validate {
namespace {

using test::Draws;
using test::FatTree;
using test::Simulator;

FatTree flat(Index hosts) {
  FatTree shape;
  shape.pods = shape.leaves = 1;
  shape.hosts = hosts;
  shape.rails = 1;
  shape.leaves_known = shape.routes_known = false;
  return shape;
}

std::vector<Index> all_of(Index count) {
  std::vector<Index> hosts(count);
  std::iota(hosts.begin(), hosts.end(), 0);
  return hosts;
}

struct Named {
  std::set<Index> slow, open;
  bool many = false;
};

Named judge(Simulator& simulator, Index rounds, const Levels& levels, std::uint64_t seed) {
  std::vector<Measurement> measured;
  Index number = 0;
  for (const Round& round : tournament(simulator.fleet(), {rounds, seed})) {
    const std::vector<Measurement> of = simulator.measure(round, number++);
    measured.insert(measured.end(), of.begin(), of.end());
  }
  const Settled settled = test::settle(simulator, samples_of(simulator.fleet(), measured), levels, seed);
  Named told;
  told.many = settled.many;
  for (const Slow& slow : settled.confirmed.slow) told.slow.insert(slow.host);
  for (const Slow& slow : settled.confirmed.open) told.open.insert(slow.host);
  return told;
}

std::vector<test::Fault> slow_hosts(Index hosts, Index count, double slower, Draws& draws) {
  std::vector<Index> places = all_of(hosts);
  compare::shuffle(std::span(places), draws);
  std::vector<test::Fault> faults;
  for (Index i = 0; i < count; ++i) faults.push_back({{ComponentKind::host, Direction::both, places[i], npos}, slower});
  return faults;
}

std::set<Index> hosts_of(const std::vector<test::Fault>& faults) {
  std::set<Index> hosts;
  for (const test::Fault& fault : faults) hosts.insert(fault.component.at);
  return hosts;
}

}  // namespace

TEST_CASE("capacity: any number of slow hosts but all is told from the good ones, without any level") {
  Draws draws(51);
  for (const Index hosts : {4U, 5U, 6U, 8U, 16U})
    for (Index slow = 2; slow < hosts; ++slow)
      for (const double slower : {0.1, 0.5, 0.9}) {
        // What few can be is for localise() to find.
        if (4 * slow <= hosts) continue;
        const std::vector<test::Fault> faults = slow_hosts(hosts, slow, slower, draws);
        test::Noise noise;
        noise.deviation = 0.005;
        Simulator simulator(flat(hosts), faults, noise, draws.next());
        const Named told = judge(simulator, hosts <= 4 ? 12 : 8, test::no_levels(simulator.fleet()), draws.next());
        INFO(hosts << " hosts, " << slow << " slower by " << slower);
        CHECK(told.slow == hosts_of(faults));
        CHECK(told.open.empty());
      }
}

TEST_CASE("capacity: a level tells that all are slow, and which one is not") {
  Draws draws(52);
  for (const Index hosts : {3U, 4U, 6U, 8U})
    for (Index slow = 1; slow <= hosts; ++slow)
      for (const double slower : {0.5, 0.9}) {
        const std::vector<test::Fault> faults = slow_hosts(hosts, slow, slower, draws);
        test::Noise noise;
        noise.deviation = 0.005;
        Simulator simulator(flat(hosts), faults, noise, draws.next());
        Levels levels = test::no_levels(simulator.fleet());
        for (auto& each : levels) each.front() = {0.8 * Simulator::usual, Simulator::usual, false, "a test"};
        const Named told = judge(simulator, hosts <= 4 ? 12 : 8, levels, draws.next());
        INFO(hosts << " hosts, " << slow << " slower by " << slower);
        CHECK(told.slow == hosts_of(faults));
      }
}

TEST_CASE("capacity: healthy fleets have one group, of any noise") {
  Draws draws(53);
  for (const Index hosts : {3U, 4U, 8U, 64U})
    for (const double deviation : {0.002, 0.015, 0.05})
      for (int turn = 0; turn < 20; ++turn) {
        test::Noise noise;
        noise.deviation = deviation;
        noise.hosts_differ = turn % 2 == 0 ? 0 : 0.005;
        Simulator simulator(flat(hosts), {}, noise, draws.next());
        const Named told = judge(simulator, hosts <= 4 ? 12 : 8, test::no_levels(simulator.fleet()), draws.next());
        INFO(hosts << " hosts, deviation " << deviation << ", turn " << turn);
        CHECK(told.slow == std::set<Index>());
      }
}

TEST_CASE("capacity: casts are of disjoint hosts, and each host asked for is once the one") {
  Draws draws(54);
  for (const Index count : {2U, 3U, 4U, 5U, 7U, 8U, 33U}) {
    std::vector<Index> asked;
    for (Index host = 0; host < count; ++host)
      if (draws.uniform() < 0.6) asked.push_back(host);
    std::vector<Index> seen;
    for (const auto& round : cast_rounds(all_of(count), asked, {}, draws.next())) {
      std::set<Index> busy;
      std::size_t places = 0;
      for (const CastSet& set : round) {
        seen.push_back(set.host);
        CHECK_FALSE(set.partners.empty());
        busy.insert(set.host);
        busy.insert(set.partners.begin(), set.partners.end());
        places += 1 + set.partners.size();
      }
      CHECK(busy.size() == places);
    }
    std::sort(seen.begin(), seen.end());
    CHECK(seen == asked);
  }
}

}  // namespace railgauge::validate
