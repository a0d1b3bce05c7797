// Whether a run finds what it says that it would.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

#include "bench/validate/method/localise.hpp"
#include "bench/validate/method/power.hpp"
#include "bench/validate/method/tournament.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "tests/validate/campaign.hpp"

namespace railgauge::validate {
namespace {

test::FatTree flat(Index hosts) {
  test::FatTree shape;
  shape.pods = shape.leaves = 1;
  shape.hosts = hosts;
  shape.rails = 1;
  shape.leaves_known = shape.routes_known = false;
  return shape;
}

}  // namespace

TEST_CASE("power: a host that is slower by what a healthy run states is found, and one that is slower by a third of it seldom") {
  test::Draws draws(71);
  const int runs = test::usual_or_thorough(80, 200);
  for (const Index hosts : {8U, 32U})
    for (const double deviation : {0.005, 0.02}) {
      test::Noise noise;
      noise.deviation = deviation;
      noise.disturbed = 0;
      int found = 0, found_less = 0;
      for (int run = 0; run < runs; ++run) {
        test::Simulator healthy(flat(hosts), {}, noise, draws.next());
        std::vector<Measurement> measured;
        Index number = 0;
        for (const Round& round : tournament(healthy.fleet(), {8, draws.next()}))
          for (const Measurement& each : healthy.measure(round, number++)) measured.push_back(each);
        const std::optional<double> stated =
            slowdown_of(healthy.fleet(), fit(healthy.fleet(), samples_of(healthy.fleet(), measured)));
        REQUIRE(stated);
        for (const bool less : {false, true}) {
          const auto slow = static_cast<Index>(draws.below(hosts));
          test::Simulator simulator(flat(hosts),
                                    {{{ComponentKind::host, Direction::both, slow, npos}, less ? *stated / 3 : *stated}}, noise,
                                    draws.next());
          const test::Validation done = test::validate_once(simulator, 8, draws.next());
          const bool seen = std::any_of(done.suspects.begin(), done.suspects.end(),
                                        [&](const Suspect& it) { return at_host(it.component) && it.component.at == slow; });
          (less ? found_less : found) += seen ? 1 : 0;
        }
      }
      std::printf("%u hosts, deviation %.3f: suspected at the stated slowdown %d of %d, at a third of it %d\n", hosts, deviation,
                  found, runs, found_less);
      INFO(hosts << " hosts, deviation " << deviation);
      CHECK(found >= 0.95 * runs);
      CHECK(found_less < runs / 2);
    }
}

TEST_CASE("power: nothing is stated of three hosts, or of too few rounds") {
  for (const Index hosts : {3U, 8U}) {
    test::Simulator simulator(flat(hosts), {}, {}, 72);
    std::vector<Measurement> measured;
    for (const Round& round : tournament(simulator.fleet(), {2, 1}))
      for (const Measurement& each : simulator.measure(round, measured.empty() ? 0 : 1)) measured.push_back(each);
    CHECK_FALSE(slowdown_of(simulator.fleet(), fit(simulator.fleet(), samples_of(simulator.fleet(), measured))));
  }
}

}  // namespace railgauge::validate
