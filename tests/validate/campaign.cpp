#include "tests/validate/campaign.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <numeric>
#include <set>

#include "bench/validate/method/localise.hpp"
#include "bench/validate/method/model.hpp"
#include "bench/validate/method/tournament.hpp"
#include "bench/validate/method/unsteady.hpp"
#include "tests/validate/settle.hpp"

namespace railgauge::test {

using namespace validate;

Validation validate_once(Simulator& simulator, Index rounds, std::uint64_t seed) {
  const Fleet& fleet = simulator.fleet();
  std::vector<Measurement> measurements;
  Validation done;
  for (const Round& round : tournament(fleet, {rounds, seed})) {
    const std::vector<Measurement> of = simulator.measure(round, done.rounds++);
    measurements.insert(measurements.end(), of.begin(), of.end());
  }
  const Settled settled = settle(simulator, samples_of(fleet, medians_of(measurements)), no_levels(fleet), seed + 2);
  done.slow = settled.confirmed.slow;
  std::set<Index> known;
  if (settled.many) {
    std::set<std::pair<Index, Index>> sends, receives;
    for (const Slow& slow : settled.confirmed.slow) {
      known.insert(slow.host);
      if (slow.direction != Direction::in) sends.insert({slow.host, slow.rail});
      if (slow.direction != Direction::out) receives.insert({slow.host, slow.rail});
    }
    std::erase_if(measurements, [&](const Measurement& it) {
      return sends.contains({it.from, it.rail}) || receives.contains({it.to, it.rail});
    });
    if (measurements.empty()) return done;
  }
  const Samples samples = samples_of(fleet, medians_of(measurements));
  const Model model = fit(fleet, samples);
  Suspicion suspicion = localise(fleet, samples, model);
  suspect_unsteady(fleet, measurements, model, suspicion);
  std::erase_if(suspicion.good, [&](Index host) { return known.contains(host); });
  std::erase_if(suspicion.suspects, [&](const Suspect& it) { return at_host(it.component) && known.contains(it.component.at); });
  ConfirmOptions options;
  options.seed = seed + 1;
  Confirmation confirmation(fleet, model, suspicion, options);
  while (const std::optional<Round> round = confirmation.next())
    confirmation.add(simulator.measure(*round, done.rounds + done.confirmation_rounds++));
  done.suspects = suspicion.suspects;
  done.findings = confirmation.findings();
  return done;
}

std::vector<Fault> draw_faults(const FatTree& shape, Kind kind, double slower, Draws& draws, double share) {
  const auto below = [&](Index count) { return static_cast<Index>(draws.below(count)); };
  const Index host = below(shape.all_hosts()), rail = below(shape.rails), pod = below(shape.pods), leaf = below(shape.leaves),
              spine = below(shape.spines), core = below(shape.cores);
  switch (kind) {
    case Kind::nothing:
      return {};
    case Kind::two_hosts: {
      const Index other = (host + 1 + below(shape.all_hosts() - 1)) % shape.all_hosts();
      return {{{ComponentKind::host, Direction::both, host, npos}, slower},
              {{ComponentKind::host, Direction::both, other, npos}, slower}};
    }
    case Kind::host_sends:
      return {{{ComponentKind::host, Direction::out, host, npos}, slower}};
    case Kind::host_receives:
      return {{{ComponentKind::host, Direction::in, host, npos}, slower}};
    case Kind::nic:
      return {{{ComponentKind::nic, Direction::both, host, rail}, slower}};
    case Kind::leaf:
      return {{{ComponentKind::leaf, Direction::both, shape.leaf(rail, pod, leaf), npos}, slower}};
    case Kind::uplink:
    case Kind::one_of_uplinks:
      return {{{ComponentKind::uplink, static_cast<Direction>(below(3)), shape.uplink(rail, pod, leaf, spine), npos}, slower}};
    case Kind::spine_link:
    case Kind::one_of_spine_links:
      return {{{ComponentKind::spine_link, static_cast<Direction>(below(3)), shape.spine_link(rail, pod, spine, core), npos},
               slower}};
    case Kind::one_of_spines:
      return {{{ComponentKind::spine, Direction::both, fleet_of(shape).cables[shape.uplink(rail, pod, leaf, spine)].b, npos},
               slower}};
    case Kind::two_any_direction: {
      const Index other = (host + 1 + below(shape.all_hosts() - 1)) % shape.all_hosts();
      return {{{ComponentKind::host, static_cast<Direction>(below(3)), host, npos}, slower},
              {{ComponentKind::host, static_cast<Direction>(below(3)), other, npos}, slower}};
    }
    case Kind::share_of_hosts: {
      std::vector<Index> hosts(shape.all_hosts());
      std::iota(hosts.begin(), hosts.end(), 0);
      compare::shuffle(std::span(hosts), draws);
      hosts.resize(
          std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(share * shape.all_hosts())), 1, shape.all_hosts() - 1));
      std::vector<Fault> faults;
      for (const Index each : hosts) faults.push_back({{ComponentKind::host, Direction::both, each, npos}, slower});
      return faults;
    }
    case Kind::one_any_direction:
      return {{{ComponentKind::host, static_cast<Direction>(below(3)), host, npos}, slower}};
    case Kind::flapping_spine_link:
      return {{{ComponentKind::spine_link, static_cast<Direction>(below(3)), shape.spine_link(rail, pod, spine, core), npos},
               slower,
               1.0 / 3}};
    case Kind::stopped_at_times:
      return {{{ComponentKind::host, Direction::both, host, npos}, slower, 0.3}};
  }
  return {};
}

Tally run(const Campaign& campaign, int runs, std::uint64_t seed) {
  Tally tally;
  Draws draws(seed);
  for (int i = 0; i < runs; ++i) {
    const std::vector<Fault> faults = draw_faults(campaign.shape, campaign.kind, campaign.slower, draws, campaign.share);
    Simulator simulator(campaign.shape, faults, campaign.noise, draws.next());
    const Validation done = validate_once(simulator, campaign.rounds, draws.next());
    ++tally.runs;
    tally.confirmation_rounds += done.confirmation_rounds;
    // A cable is named when it is, whichever direction; where no route is known, when the set is that it belongs to.
    const auto same = [&](const Component& a, const Component& fault) {
      const Fleet& fleet = simulator.fleet();
      const bool cable = at_cable(fault);
      if (fleet.route || !(cable || fault.kind == ComponentKind::spine))
        return cable ? a.kind == fault.kind && a.at == fault.at : a == fault;
      if (fault.kind == ComponentKind::spine) return a.kind == ComponentKind::spines && a.at == fleet.switches[fault.at].set;
      const Switch& below = fleet.switches[fleet.cables[fault.at].a];
      return fault.kind == ComponentKind::uplink ? a.kind == ComponentKind::uplinks && a.at == fleet.cables[fault.at].a
                                                 : a.kind == ComponentKind::spine_links && a.at == below.set;
    };
    const auto right = [&](const Component& component) {
      return std::any_of(faults.begin(), faults.end(), [&](const Fault& fault) { return same(component, fault.component); });
    };
    for (const Suspect& suspect : done.suspects) tally.false_suspects += right(suspect.component) ? 0 : 1;
    // Of a host whose rails are all slow the group finding has each.
    std::map<Index, Index> rails;
    for (const Slow& slow : done.slow) ++rails[slow.host];
    std::vector<Component> slow_hosts;
    for (const auto& [host, count] : rails)
      if (2 * count > campaign.shape.rails) slow_hosts.push_back({ComponentKind::host, Direction::both, host, npos});
    for (const Component& each : slow_hosts) tally.falsely_named += right(each) ? 0 : 1;
    const std::set<Index> told = [&] {
      std::set<Index> hosts;
      for (const Component& each : slow_hosts) hosts.insert(each.at);
      return hosts;
    }();
    for (const Fault& fault : faults) {
      ++tally.faults;
      tally.found += (fault.component.kind == ComponentKind::host && told.contains(fault.component.at)) ||
                             std::any_of(done.findings.begin(), done.findings.end(),
                                         [&](const Finding& it) {
                                           return it.outcome == Outcome::faulty && same(it.component, fault.component);
                                         })
                         ? 1
                         : 0;
    }
    for (const Finding& finding : done.findings)
      tally.falsely_named += finding.outcome == Outcome::faulty && !right(finding.component) ? 1 : 0;
  }
  std::printf(
      "%-44s %2u rounds: found and named %.3f of %d; falsely suspected %.3f, falsely named %.3f a run; %.1f rounds to "
      "confirm (%d runs, seed %llu)\n",
      campaign.name, campaign.rounds, tally.power(), tally.faults, static_cast<double>(tally.false_suspects) / runs,
      tally.false_a_run(), tally.confirmation_rounds / runs, runs, static_cast<unsigned long long>(seed));
  return tally;
}

}  // namespace railgauge::test
