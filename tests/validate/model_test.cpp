// The model, localisation and confirmation on small and exact fleets; how often they are right with noise is in
// acceptance_test.cpp.
#include "bench/validate/method/model.hpp"

#include <cmath>
#include <cstdio>
#include <limits>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "bench/validate/method/confirm.hpp"
#include "bench/validate/method/localise.hpp"
#include "bench/validate/method/tournament.hpp"
#include "tests/test.hpp"
#include "tests/validate/campaign.hpp"

using namespace railgauge;
using namespace railgauge::test;
using namespace railgauge::validate;

namespace {

std::vector<Measurement> measured(Simulator& simulator, Index rounds) {
  std::vector<Measurement> all;
  Index number = 0;
  for (const Round& round : tournament(simulator.fleet(), {rounds, 3})) {
    const std::vector<Measurement> of = simulator.measure(round, number++);
    all.insert(all.end(), of.begin(), of.end());
  }
  return all;
}

FatTree bare(Index hosts) {
  FatTree shape;
  shape.pods = shape.leaves = shape.rails = 1;
  shape.hosts = hosts;
  shape.leaves_known = shape.routes_known = false;
  return shape;
}

}  // namespace

TEST_CASE("the model tells what is usual from what a host is off") {
  Simulator simulator(tree_of_128(), {{{ComponentKind::host, Direction::out, 7, npos}, 0.1}}, {}, 21);
  const Samples samples = samples_of(simulator.fleet(), measured(simulator, 8));
  const Model model = fit(simulator.fleet(), samples);
  CHECK_THAT(model.scales.all, WithinAbs(0.0155, 0.001));
  CHECK_THAT(-std::expm1(model.send[7]), WithinAbs(0.1, 0.01));
  CHECK_THAT(model.receive[7], WithinAbs(0, 0.01));
  CHECK(model.effects[3 * 7 + 1].direction == Direction::out);
  CHECK(model.effects[3 * 7 + 1].p < 0.001);
  CHECK(model.effects[3 * 7 + 2].p > 0.05);
  int standing_out = 0;
  for (std::size_t i = 0; i < model.effects.size(); ++i) standing_out += i / 3 != 7 && model.effects[i].p < 0.01 ? 1 : 0;
  CHECK(standing_out == 0);
}

TEST_CASE("a model of host that is slower as a whole is no fault, and a slow rail of all is told") {
  FatTree shape = tree_of_128();
  Simulator simulator(shape, {}, {}, 22);
  Fleet fleet = simulator.fleet();
  for (Index host = 0; host < 40; ++host) fleet.hosts[host].model = "A100";
  std::vector<Measurement> all = measured(simulator, 8);
  for (Measurement& it : all) {
    if (it.from < 40 || it.to < 40) it.gigabytes_per_second /= 2;
    if (it.rail == 5) it.gigabytes_per_second *= 0.9;
  }
  const Samples samples = samples_of(fleet, all);
  const Model model = fit(fleet, samples);
  CHECK_THAT(-std::expm1(model.rails[5]), WithinAbs(0.1, 0.01));
  CHECK_THAT(model.rails[4], WithinAbs(0, 0.01));
  for (const Suspect& suspect : localise(fleet, samples, model).suspects) CHECK(suspect.slower < 0.08);
}

TEST_CASE("in a fleet of four one slow host is found though half of all pairs are slow") {
  for (const Direction direction : {Direction::both, Direction::out, Direction::in}) {
    Noise noise;
    noise.disturbed = 0;
    Simulator simulator(bare(4), {{{ComponentKind::host, direction, 2, npos}, 0.3}}, noise, 23);
    const Validation done = validate_once(simulator, 9, 23);
    REQUIRE(done.findings.size() == 1);
    CHECK(done.findings[0].outcome == Outcome::faulty);
    CHECK(done.findings[0].component == Component{ComponentKind::host, direction, 2, npos});
    CHECK_THAT(done.findings[0].slower, WithinAbs(0.3, 0.03));
  }
}

TEST_CASE("what cannot be measured is left out, and what is no measurement refused") {
  Simulator simulator(bare(8), {}, {}, 24);
  std::vector<Measurement> all = measured(simulator, 7);
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (const double odd : {0.0, -1.0, nan, inf}) all.push_back({0, 1, 0, 90, odd});
  const Samples samples = samples_of(simulator.fleet(), all);
  CHECK(samples.left_out == 4);
  CHECK(samples.list.size() == all.size() - 4);
  CHECK(localise(simulator.fleet(), samples, fit(simulator.fleet(), samples)).suspects.empty());
  for (const Measurement& wrong :
       {Measurement{0, 8, 0, 0, 1}, Measurement{8, 0, 0, 0, 1}, Measurement{0, 1, 1, 0, 1}, Measurement{3, 3, 0, 0, 1}})
    CHECK_THROWS_AS(samples_of(simulator.fleet(), std::vector<Measurement>{wrong}), Error);
  const Samples none = samples_of(simulator.fleet(), {});
  CHECK(localise(simulator.fleet(), none, fit(simulator.fleet(), none)).suspects.empty());
  // Without any scatter nothing is made up, and a slow host is one all the same.
  for (Measurement& it : all) it.gigabytes_per_second = 10;
  const Samples equal = samples_of(simulator.fleet(), all);
  CHECK(localise(simulator.fleet(), equal, fit(simulator.fleet(), equal)).suspects.empty());
  for (Measurement& it : all)
    if (it.from == 5) it.gigabytes_per_second = 9;
  const Samples slow = samples_of(simulator.fleet(), all);
  const Suspicion suspicion = localise(simulator.fleet(), slow, fit(simulator.fleet(), slow));
  REQUIRE(suspicion.suspects.size() == 1);
  CHECK(suspicion.suspects[0].component == Component{ComponentKind::host, Direction::out, 5, npos});
}

TEST_CASE("rounds of a confirmation are disjoint, and a suspect is seen with several good hosts and stood in for") {
  FatTree shape = tree_of_128();
  Simulator simulator(shape,
                      {{{ComponentKind::host, Direction::both, 3, npos}, 0.1},
                       {{ComponentKind::nic, Direction::both, 70, 2}, 0.2},
                       {{ComponentKind::uplink, Direction::out, shape.uplink(1, 2, 1, 6), npos}, 0.3}},
                      {}, 25);
  const Samples samples = samples_of(simulator.fleet(), measured(simulator, 16));
  const Model model = fit(simulator.fleet(), samples);
  const Suspicion suspicion = localise(simulator.fleet(), samples, model);
  REQUIRE(suspicion.suspects.size() >= 3);
  Confirmation confirmation(simulator.fleet(), model, suspicion);
  std::set<Index> with_three;
  Index number = 100;
  while (const std::optional<Round> round = confirmation.next()) {
    std::set<Index> seen;
    for (const Pair& pair : round->pairs) {
      CHECK(seen.insert(pair.a).second);
      CHECK(seen.insert(pair.b).second);
      if (pair.a == 3) with_three.insert(pair.b);
      if (pair.b == 3) with_three.insert(pair.a);
    }
    confirmation.add(simulator.measure(*round, number++));
    REQUIRE(number < 300);
  }
  CHECK(with_three.size() >= 3);
  int faulty = 0;
  for (const Finding& it : confirmation.findings()) {
    faulty += it.outcome == Outcome::faulty ? 1 : 0;
    if (it.outcome == Outcome::faulty) CHECK(it.partners >= 3);
  }
  CHECK(faulty == 3);
}

TEST_CASE("who does not answer is not faulty, and a disturbance that has passed is cleared") {
  Simulator simulator(tree_of_128(), {{{ComponentKind::host, Direction::both, 3, npos}, 0.1}}, {}, 26);
  const Samples samples = samples_of(simulator.fleet(), measured(simulator, 8));
  const Model model = fit(simulator.fleet(), samples);
  Suspicion suspicion = localise(simulator.fleet(), samples, model);
  REQUIRE_FALSE(suspicion.suspects.empty());
  REQUIRE(suspicion.suspects[0].component.at == 3);
  suspicion.suspects.resize(1);
  Confirmation silent(simulator.fleet(), model, suspicion);
  int rounds = 0;
  while (silent.next() && ++rounds < 1000) silent.add({});
  CHECK(rounds < 1000);
  CHECK(silent.findings()[0].outcome == Outcome::inconclusive);
  CHECK_THAT(silent.findings()[0].reason, ContainsSubstring("did not answer"));

  Simulator recovered(tree_of_128(), {}, {}, 27);
  Confirmation again(simulator.fleet(), model, suspicion);
  Index number = 0;
  while (const std::optional<Round> round = again.next()) again.add(recovered.measure(*round, number++));
  CHECK(again.findings()[0].outcome == Outcome::cleared);

  suspicion.good.resize(2);
  Confirmation alone(simulator.fleet(), model, suspicion);
  CHECK_FALSE(alone.next());
  CHECK(alone.findings()[0].outcome == Outcome::inconclusive);
  CHECK_THAT(alone.findings()[0].reason, ContainsSubstring("too few"));
}
