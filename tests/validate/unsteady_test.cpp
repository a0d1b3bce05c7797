// Sets of switches, what is slow at times, latencies, and fleets of two and three.
#include "bench/validate/method/unsteady.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/validate/method/diagnosis.hpp"
#include "bench/validate/method/latency.hpp"
#include "bench/validate/method/tournament.hpp"
#include "tests/test.hpp"
#include "tests/validate/campaign.hpp"

using namespace railgauge;
using namespace railgauge::test;
using namespace railgauge::validate;

namespace {

FatTree bare(Index hosts) {
  FatTree shape;
  shape.pods = shape.leaves = shape.rails = 1;
  shape.hosts = hosts;
  shape.leaves_known = shape.routes_known = false;
  return shape;
}
Noise quiet() {
  Noise noise;
  noise.deviation = 0.005;
  noise.disturbed = 0;
  return noise;
}

}  // namespace

TEST_CASE("switches above the same leaves are one set, and what is above one set is one") {
  FatTree shape = tree_of_128();
  shape.spines = 4;
  shape.routes_known = false;
  const Fleet fleet = fleet_of(shape);
  const Index leaf = shape.leaf(2, 1, 0);
  const Index set = fleet.switches[leaf].above;
  CHECK(fleet.switches[leaf].set == leaf);
  CHECK(set == fleet.switches[shape.leaf(2, 1, 1)].above);
  CHECK(set != fleet.switches[shape.leaf(2, 0, 0)].above);
  CHECK(set != fleet.switches[shape.leaf(3, 1, 0)].above);
  CHECK(std::count_if(fleet.switches.begin(), fleet.switches.end(), [&](const Switch& it) { return it.set == set; }) == 4);
  const Index top = fleet.switches[set].above;
  CHECK(top == fleet.switches[fleet.switches[shape.leaf(2, 0, 0)].above].above);
  CHECK(std::count_if(fleet.switches.begin(), fleet.switches.end(), [&](const Switch& it) { return it.set == top; }) == 8);
  // Host 0 and 1 are below one leaf, 16 is below the other of the pod, 40 is in another pod.
  const Index below = leaf_of(fleet, 0, 0);
  const Component up{ComponentKind::uplinks, Direction::out, below, npos},
      spines{ComponentKind::spines, Direction::both, fleet.switches[below].above, npos},
      links{ComponentKind::spine_links, Direction::out, fleet.switches[below].above, npos};
  CHECK_FALSE(crosses(fleet, up, 0, 1, 0, {}));
  CHECK(crosses(fleet, up, 0, 16, 0, {}));
  CHECK_FALSE(crosses(fleet, up, 16, 0, 0, {}));
  CHECK(crosses(fleet, spines, 16, 0, 0, {}));
  CHECK_FALSE(crosses(fleet, links, 0, 16, 0, {}));
  CHECK(crosses(fleet, links, 0, 40, 0, {}));
  CHECK_FALSE(crosses(fleet, links, 40, 0, 0, {}));
  CHECK_FALSE(crosses(fleet, spines, 40, 80, 0, {}));
}

TEST_CASE("one of the uplinks of a leaf is named as such, where flows take any of them") {
  FatTree shape = tree_of_128();
  shape.spines = 4;
  shape.paths_anew = true;
  const Index leaf = shape.leaf(1, 2, 0);
  Simulator simulator(shape, {{{ComponentKind::uplink, Direction::out, shape.uplink(1, 2, 0, 3), npos}, 0.3}}, {}, 31);
  const Validation done = validate_once(simulator, 16, 31);
  int faulty = 0;
  for (const Finding& it : done.findings) {
    if (it.outcome != Outcome::faulty) continue;
    ++faulty;
    CHECK(it.component == Component{ComponentKind::uplinks, Direction::out, leaf, npos});
    const Diagnosis diagnosis = diagnosis_of(simulator.fleet(), it);
    CHECK(diagnosis.blame == Blame::leaf);
    CHECK_THAT(diagnosis.sentence, ContainsSubstring("one of the 4 uplinks of leaf-1-2-0 is slow at times"));
  }
  CHECK(faulty == 1);
}

TEST_CASE("a host that is stopped now and then is unstable, though its medians are good") {
  Noise noise = quiet();
  noise.repeats = 10;
  for (const Index hosts : {4U, 8U}) {
    Simulator simulator(bare(hosts), {{{ComponentKind::host, Direction::both, 2, npos}, 0.8, 0.3}}, noise, 32);
    const Validation done = validate_once(simulator, 9, 32);
    REQUIRE(done.findings.size() == 1);
    CHECK(done.findings[0].outcome == Outcome::faulty);
    const Diagnosis diagnosis = diagnosis_of(simulator.fleet(), done.findings[0]);
    CHECK(diagnosis.blame == Blame::unstable);
    CHECK(diagnosis.hosts == std::vector<std::string>{"n2"});
    CHECK_THAT(done.findings[0].often, WithinAbs(0.3, 0.15));
    Simulator slow(bare(hosts), {{{ComponentKind::host, Direction::both, 2, npos}, 0.8}}, noise, 32);
    const Validation always = validate_once(slow, 9, 32);
    REQUIRE(always.findings.size() == 1);
    CHECK(always.findings[0].suspect.often == 1);
    CHECK(diagnosis_of(slow.fleet(), always.findings[0]).blame == Blame::nic);  // with one rail
  }
}

TEST_CASE("repeats that have nothing to do with each other decide sooner, and those that are disturbed together do not") {
  Noise noise = quiet();
  noise.repeats = 8;
  int faulty = 0;
  Index rounds = 0;
  constexpr int runs = 40;
  for (int run = 0; run < runs; ++run) {
    const auto seed = static_cast<std::uint64_t>(500 + run);
    Simulator simulator(bare(4), {{{ComponentKind::host, Direction::both, static_cast<Index>(run % 4), npos}, 0.45, 0.3}}, noise,
                        seed);
    const Validation done = validate_once(simulator, 12, seed);
    rounds += done.confirmation_rounds;
    for (const Finding& it : done.findings)
      if (it.outcome == Outcome::faulty && it.component.kind == ComponentKind::host &&
          it.component.at == static_cast<Index>(run % 4))
        ++faulty;
  }
  CHECK(faulty >= runs - 1);
  CHECK(rounds <= 8 * runs);
  noise.disturbed = 0.1;
  noise.disturbed_together = true;
  int wrong = 0;
  for (int run = 0; run < runs; ++run) {
    const auto seed = static_cast<std::uint64_t>(700 + run);
    Simulator simulator(bare(4), {}, noise, seed);
    for (const Finding& it : validate_once(simulator, 12, seed).findings)
      if (it.outcome == Outcome::faulty) ++wrong;
  }
  CHECK(wrong <= 1);
}

TEST_CASE("of repeats the median counts, unless none came through") {
  const std::vector<Measurement> all{{0, 1, 0, 0, 5}, {0, 1, 0, 0, 1}, {1, 0, 0, 0, 0}, {0, 1, 0, 0, 4}, {0, 1, 0, 1, 7}};
  const std::vector<Measurement> medians = medians_of(all);
  REQUIRE(medians.size() == 3);
  CHECK(medians[0].gigabytes_per_second == 4);
  CHECK(medians[1].gigabytes_per_second == 0);
  CHECK(medians[2].gigabytes_per_second == 7);
}

TEST_CASE("of two hosts nobody is faulty, and of three the one whose partners are as fast as each other allows") {
  for (const Index hosts : {2U, 3U})
    for (const Direction direction : {Direction::both, Direction::out, Direction::in}) {
      Simulator simulator(bare(hosts), {{{ComponentKind::host, direction, 1, npos}, 0.3}}, quiet(), 33);
      const Validation done = validate_once(simulator, 9, 33);
      if (hosts == 3) {
        REQUIRE(done.slow.size() == 1);
        CHECK(done.slow.front().host == 1);
        CHECK(done.slow.front().direction == direction);
        continue;
      }
      CHECK(done.slow.empty());
      // Of two, slow in both directions is what is usual.
      REQUIRE(done.findings.size() == (hosts == 2 && direction == Direction::both ? 0 : 1));
      for (const Finding& it : done.findings) {
        CHECK(it.outcome == Outcome::inconclusive);
        const Diagnosis diagnosis = diagnosis_of(simulator.fleet(), it);
        CHECK_FALSE(diagnosis.faulty);
        CHECK(diagnosis.hosts.empty());
        CHECK_THAT(diagnosis.sentence, ContainsSubstring("cannot be told apart") && ContainsSubstring("n1 rail 0"));
        if (hosts == 2) CHECK_THAT(diagnosis.sentence, ContainsSubstring("n0 rail 0"));
      }
    }
  Simulator healthy(bare(2), {}, quiet(), 34);
  CHECK(validate_once(healthy, 9, 34).findings.empty());
}

TEST_CASE("latencies: a host behind a relay is found, a microsecond more is nobody's fault") {
  for (const double longer : {0.05, 0.6}) {
    Simulator simulator(bare(4), {{{ComponentKind::host, Direction::both, 1, npos}, 1 - 1 / (1 + longer)}}, quiet(), 35);
    const auto latencies = [&](const Round& round, Index number) {
      std::vector<Latency> all;
      for (const Measurement& it : simulator.measure(round, number))
        if (it.from < it.to)
          all.push_back({it.from, it.to, 0, number, Seconds(30e-6 * Simulator::usual / it.gigabytes_per_second)});
      return speeds_of(all);
    };
    std::vector<Measurement> all;
    Index number = 0;
    for (const Round& round : tournament(simulator.fleet(), {9, 3})) {
      const std::vector<Measurement> of = latencies(round, number++);
      all.insert(all.end(), of.begin(), of.end());
    }
    const Samples samples = samples_of(simulator.fleet(), all);
    const Model model = fit(simulator.fleet(), samples);
    const LeastSlower least = least_slower(model);
    CHECK_THAT(least.host, WithinAbs(0.2 / 1.2, 0.01));
    LocaliseOptions localising;
    localising.least = least;
    const Suspicion suspicion = localise(simulator.fleet(), samples, model, localising);
    REQUIRE(suspicion.suspects.size() == (longer > 0.2 ? 1 : 0));
    if (suspicion.suspects.empty()) continue;
    ConfirmOptions confirming;
    confirming.least = least;
    Confirmation confirmation(simulator.fleet(), model, suspicion, confirming);
    while (const std::optional<Round> round = confirmation.next()) confirmation.add(latencies(*round, number++));
    const Finding& finding = confirmation.findings()[0];
    CHECK(finding.outcome == Outcome::faulty);
    CHECK(finding.component == Component{ComponentKind::host, Direction::both, 1, npos});
    const Diagnosis diagnosis = diagnosis_of(simulator.fleet(), finding, {}, Measure::latency);
    CHECK(diagnosis.measure == Symptom::latency);
    CHECK_THAT(1 / (1 - diagnosis.slower), WithinAbs(1 + longer, 0.05));
    CHECK_THAT(diagnosis.sentence, ContainsSubstring("times their latency"));
  }
  // Where all are within two microseconds, one more is 50 %.
  Model fast;
  fast.kinds = {std::log(0.5)};
  CHECK_THAT(least_slower(fast).host, WithinAbs(0.5 / 1.5, 1e-9));
  CHECK(speeds_of(std::vector<Latency>{{0, 1, 0, 0, Seconds(0)}}).empty());
}
