// Rounds of pairs in which latency alone is measured.
#include "bench/validate/stages/delays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "bench/validate/method/tournament.hpp"
#include "bench/validate/stages/facts.hpp"
#include "bench/validate/stages/findings.hpp"

namespace railgauge::validate {
namespace {

// On most rails of a host it is the host.
void tell(ValidationRun& run, const std::vector<Late>& late) {
  std::map<Index, std::vector<Late>> hosts;
  for (const Late& it : late) hosts[it.host].push_back(it);
  if (hosts.size() > most_single) {
    std::set<Index> those;
    for (const auto& [host, its] : hosts) those.insert(host);
    const Late& worst = *std::max_element(late.begin(), late.end(), [](const Late& a, const Late& b) { return a.adds < b.adds; });
    tell_together(
        run, validation::pairs_stage, diagnosis_of(run.fleet, worst, {}), those, run.living().size(),
        fmt::format("add to the latency of each pair that they are in; the slowest, {}, adds {:.4g} us to {:.4g} us.",
                    end_of_host(run.fleet, worst.host, worst.rail), 1e6 * worst.adds.count(), 1e6 * worst.usual.count()));
    return;
  }
  for (auto& [host, its] : hosts) {
    if (run.fleet.rails > 1 && 2 * its.size() > run.fleet.rails) {
      its.resize(1);
      its.front().rail = npos;
    }
    for (const Late& it : its) {
      const Evidence evidence = evidence_of(run, validation::pairs_stage, host, it.rail);
      run.tell(validation::pairs_stage, diagnosis_of(run.fleet, it, evidence), run.fleet.hosts[host].name);
    }
  }
}

void tell_open(ValidationRun& run, const Late& late) {
  Diagnosis it;
  it.from = end_of_host(run.fleet, late.host, late.rail);
  it.to = far_end_of_host(run.fleet, late.host, late.rail);
  it.measure = Symptom::latency;
  it.slower = 1 - 1 / (1 + late.adds / late.usual);
  it.sentence = fmt::format("{}: {} seemed to add {:.4g} us to the latency of each pair, and too few were measured again.",
                            validation::name(it.blame), it.from, 1e6 * late.adds.count());
  it.next = next_step(it.blame);
  run.tell(validation::pairs_stage, it, run.fleet.hosts[late.host].name);
}

}  // namespace

std::vector<Late> settle_delays(ValidationRun& run, Matches& matches, const std::vector<bool>& without, validation::Stage& told) {
  std::vector<Delays> delays;
  for (Index rail = 0; rail < run.fleet.rails; ++rail) delays.push_back(delays_of(run.fleet, matches.latency, rail));
  LeastLonger least;
  // Where hosts share cores, what is shorter may be the scheduler's doing.
  if (run.crowding > 1) least.longer = Seconds(200e-6);
  LateHosts seen = late_hosts(run.fleet, delays, least);
  std::erase_if(seen.late, [&](const Late& it) { return !run.lives(it.host) || without[it.host]; });
  if (!seen.many || seen.late.empty()) return {};
  const Index before = matches.rounds;
  // Of an odd number of hosts one rests in each round.
  constexpr Index rounds = looks_at_late + 1;
  for (const Round& round : tournament(run.fleet, {rounds, run.options.seed + 104729})) {
    if (run.time_is_over()) break;
    play(run, filled(run, round, without), Asked::latency, true, matches);
  }
  std::vector<Latency> again;
  std::copy_if(matches.latency.begin(), matches.latency.end(), std::back_inserter(again),
               [&](const Latency& it) { return it.round >= before; });
  ConfirmedLate confirmed = confirmed_late(run.fleet, seen.late, again, delays);
  tell(run, confirmed.late);
  for (const Late& it : confirmed.open) tell_open(run, it);
  told.notes.push_back(fmt::format("{} rounds of latency to tell who adds to it", matches.rounds - before));
  return std::move(confirmed.late);
}

std::vector<Latency> without_late(const std::vector<Late>& late, std::vector<Latency> latencies) {
  std::erase_if(latencies, [&](const Latency& it) {
    return std::any_of(late.begin(), late.end(),
                       [&](const Late& its) { return its.rail == it.rail && (its.host == it.a || its.host == it.b); });
  });
  return latencies;
}

}  // namespace railgauge::validate
