// Parts that explain the same measurements, whichever of them is suspected first.
#include <string>
#include <vector>

#include "bench/validate/method/confirm.hpp"
#include "bench/validate/method/tournament.hpp"
#include "bench/validate/method/unsteady.hpp"
#include "tests/test.hpp"
#include "tests/validate/simulator.hpp"

using namespace railgauge;
using namespace railgauge::test;
using namespace railgauge::validate;

namespace {

// What is faulty where `fault` is slow, and `asked` is suspected: the first, with the others as its rivals.
std::vector<Component> faulty(const FatTree& shape, const Component& fault, const std::vector<Component>& asked, Index rail,
                              double often, std::uint64_t seed) {
  Simulator simulator(shape, {{fault, 0.2}}, {}, seed);
  const Fleet& fleet = simulator.fleet();
  std::vector<Measurement> measurements;
  Index number = 0;
  for (const Round& round : tournament(fleet, {16, seed})) {
    const std::vector<Measurement> of = simulator.measure(round, number++);
    measurements.insert(measurements.end(), of.begin(), of.end());
  }
  const Samples samples = samples_of(fleet, measurements);
  const Model model = fit(fleet, samples);
  Suspicion suspicion = localise(fleet, samples, model);
  suspect_unsteady(fleet, measurements, model, suspicion);
  Suspect suspect;
  suspect.component = asked.front();
  suspect.rail = rail;
  suspect.slower = 0.2;
  suspect.often = often;
  for (std::size_t i = 1; i < asked.size(); ++i) suspect.rivals.push_back({asked[i], rail});
  for (const Component& one : asked)
    if (one.kind == ComponentKind::nic) std::erase(suspicion.good, one.at);
  suspicion.suspects = {suspect};
  ConfirmOptions options;
  options.seed = seed;
  Confirmation confirmation(fleet, model, suspicion, options);
  while (const std::optional<Round> round = confirmation.next()) confirmation.add(simulator.measure(*round, number++));
  std::vector<Component> found;
  for (const Finding& it : confirmation.findings())
    if (it.outcome == Outcome::faulty) found.push_back(it.component);
  return found;
}

// Each of them at fault, each of them suspected first.
void check_each(const FatTree& shape, const std::vector<Component>& parts, const std::vector<Component>& faults, Index rail,
                double often) {
  for (std::size_t fault = 0; fault < parts.size(); ++fault)
    for (std::size_t first = 0; first < parts.size(); ++first) {
      std::vector<Component> asked = {parts[first]};
      for (std::size_t i = 0; i < parts.size(); ++i)
        if (i != first) asked.push_back(parts[i]);
      int right = 0, wrong = 0;
      constexpr int runs = 4;
      for (int run = 0; run < runs; ++run)
        for (const Component& it : faulty(shape, faults[fault], asked, rail, often, static_cast<std::uint64_t>(40 + run)))
          ++(it == parts[fault] ? right : wrong);
      INFO("part " << fault << " is slow, part " << first << " was suspected");
      CHECK(right >= runs - 1);
      CHECK(wrong == 0);
    }
}

}  // namespace

TEST_CASE("a port, the uplink down to it and the cable above that are told apart, whichever is suspected first", "[long]") {
  // Routes by destination lead to one host by one spine and one core: what comes down the cable above the spine goes on by one
  // uplink to one port, and only what comes from near does not pass all three.
  FatTree shape = tree_of_128();
  shape.rails = 2;
  const Index rail = 1, pod = 2, leaf = 1, number = 5, host = (pod * shape.leaves + leaf) * shape.hosts + number;
  const std::vector<Component> parts = {
      {ComponentKind::nic, Direction::in, host, rail},
      {ComponentKind::uplink, Direction::in, shape.uplink(rail, pod, leaf, number), npos},
      {ComponentKind::spine_link, Direction::in, shape.spine_link(rail, pod, number, host / shape.hosts % shape.cores), npos}};
  check_each(shape, parts, parts, rail, 1);
}

TEST_CASE("where flows take any path, the switches above leaves and the cables above those are told apart") {
  FatTree shape = tree_of_128();
  shape.rails = 2;
  shape.spines = 4;
  shape.paths_anew = true;
  const Fleet fleet = fleet_of(shape);
  const Index rail = 1, spine = fleet.cables[shape.uplink(rail, 2, 0, 1)].b, set = fleet.switches[spine].set;
  const std::vector<Component> parts = {{ComponentKind::spines, Direction::both, set, npos},
                                        {ComponentKind::spine_links, Direction::both, set, npos}};
  const std::vector<Component> faults = {{ComponentKind::spine, Direction::both, spine, npos},
                                         {ComponentKind::spine_link, Direction::both, shape.spine_link(rail, 2, 1, 0), npos}};
  check_each(shape, parts, faults, rail, 0.2);
}
