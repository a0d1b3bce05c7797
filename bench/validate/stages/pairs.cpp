// Every host with many others, two at a time: what is usual, who is slower, and whether that is so when it is measured again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/statistics/median.hpp"
#include "bench/validate/method/localise.hpp"
#include "bench/validate/method/model.hpp"
#include "bench/validate/method/power.hpp"
#include "bench/validate/method/spells.hpp"
#include "bench/validate/method/tournament.hpp"
#include "bench/validate/method/unsteady.hpp"
#include "bench/validate/stages/capacities.hpp"
#include "bench/validate/stages/delays.hpp"
#include "bench/validate/stages/findings.hpp"
#include "bench/validate/stages/losses.hpp"
#include "bench/validate/stages/matches.hpp"
#include "bench/validate/stages/stages.hpp"

namespace railgauge::validate {
namespace {

template <class Each>
std::vector<Each> since_round(const std::vector<Each>& all, Index round) {
  std::vector<Each> late;
  std::copy_if(all.begin(), all.end(), std::back_inserter(late), [&](const Each& each) { return each.round >= round; });
  return late;
}

Index rounds_for(const ValidationRun& run) {
  if (run.options.rounds) return *run.options.rounds;
  const std::size_t hosts = run.living().size();
  // Where there are few others to meet, they are met several times.
  return hosts <= 4 ? 12 : 8;
}

// Takes hosts that look slow at times from the suspects.
void leave_to_watch(ValidationRun& run, Suspicion& suspicion) {
  std::erase_if(suspicion.suspects, [&](const Suspect& suspect) {
    if (suspect.often >= 1 || !at_host(suspect.component)) return false;
    Finding finding;
    finding.suspect = suspect;
    finding.component = suspect.component;
    finding.rail = suspect.rail;
    run.seen.open.push_back(std::move(finding));
    return true;
  });
}

struct Judged {
  Samples samples;
  Model model;  // of these
  std::vector<Finding> findings;
};

// Suspects, measures again, and finds. `least_of` says what counts.
Judged judge(ValidationRun& run, Matches& matches, const std::vector<bool>& without, Asked asked, const MeasuredSince& measured,
             const std::function<LeastSlower(const Model&)>& least_of) {
  const std::vector<Measurement> all = measured(0);
  Judged judged{samples_of(run.fleet, medians_of(all)), {}, {}};
  judged.model = fit(run.fleet, judged.samples);
  const Samples& samples = judged.samples;
  const Model& model = judged.model;
  LocaliseOptions localising;
  localising.least = least_of(model);
  Suspicion suspicion = localise(run.fleet, samples, model, localising);
  // Where hosts share cores, how soon one of them answers at times is the scheduler's doing.
  if (asked != Asked::latency || run.crowding <= 1) suspect_unsteady(run.fleet, all, model, suspicion);
  leave_out(run, without, suspicion);
  // The stage watch sees it better, by more rounds of all hosts at once.
  if (run.watches && asked == Asked::bandwidth) leave_to_watch(run, suspicion);
  ConfirmOptions options;
  options.least = localising.least;
  options.seed = run.options.seed + 1;
  judged.findings = confirm(run, matches, asked, model, suspicion, options, measured);
  return judged;
}

void tell_figures(ValidationRun& run, const Matches& matches) {
  std::vector<double> all, times;
  std::map<std::pair<Index, Index>, std::vector<double>> send, receive, latency;
  for (const Measurement& each : medians_of(matches.bandwidth)) {
    send[{each.from, each.rail}].push_back(each.gigabytes_per_second);
    receive[{each.to, each.rail}].push_back(each.gigabytes_per_second);
    all.push_back(each.gigabytes_per_second);
  }
  for (const Latency& each : matches.latency) {
    for (const Index host : {each.a, each.b}) latency[{host, each.rail}].push_back(each.latency.count());
    times.push_back(each.latency.count());
  }
  const auto of = [&](const std::pair<Index, Index>& place) -> validation::RailFigures& {
    return run.found.hosts[place.first].rails[place.second];
  };
  for (auto& [place, values] : send) of(place).send = median(values);
  for (auto& [place, values] : receive) of(place).receive = median(values);
  for (auto& [place, values] : latency) of(place).latency = Seconds(median(values));
  if (!all.empty()) {
    run.pair_median = median(all);
    run.add_figure(validation::pairs_stage, fmt::format("two hosts, {}, median of {}", run.options.bytes, all.size()), "all",
                   "GB/s", *run.pair_median);
  }
  if (!times.empty())
    run.add_figure(validation::pairs_stage, fmt::format("two hosts, 8 bytes, median of {}", times.size()), "all", "us",
                   1e6 * median(times));
}

// Of each rail by itself: what it is off the usual of its kind, in the median over those it met.
void record_deviations(ValidationRun& run, const Judged& judged) {
  std::map<std::pair<Index, Index>, std::vector<double>> send, receive;
  for (std::size_t i = 0; i < judged.samples.list.size(); ++i) {
    const Sample& it = judged.samples.list[i];
    const double off = judged.model.off_usual[i];
    if (!std::isfinite(off)) continue;
    send[{it.from, it.rail}].push_back(off);
    receive[{it.to, it.rail}].push_back(off);
  }
  const auto of = [&](const std::pair<Index, Index>& place) -> validation::RailFigures& {
    return run.found.hosts[place.first].rails[place.second];
  };
  for (auto& [place, values] : send) of(place).send_off = std::expm1(median(values));
  for (auto& [place, values] : receive) of(place).receive_off = std::expm1(median(values));
}

}  // namespace

void run_pairs(ValidationRun& run, validation::Stage& told) {
  if (run.living().size() < 2) {
    told.state = validation::StageState::skipped;
    told.reason = fmt::format("pairs need two hosts, and {} of {} take part", run.living().size(), run.fleet.hosts.size());
    return;
  }
  Matches matches;
  run.seen = {};
  const Index wanted = rounds_for(run);
  std::vector<bool> without(run.fleet.hosts.size(), false);
  for (const Round& round : tournament(run.fleet, {wanted, run.options.seed})) {
    if (run.time_is_over()) break;
    play(run, filled(run, round, without), Asked::all, false, matches);
    leave_out(run, matches, without);
  }
  const Index played = matches.rounds;
  if (played < wanted) {
    told.state = validation::StageState::cut_short;
    told.reason = fmt::format("{} of {} rounds were measured when its time was over", played, wanted);
  }
  settle_reach(run, matches, without);
  run.mark_good(matches.bandwidth);
  tell_figures(run, matches);

  SlowHosts slow;
  if (!matches.bandwidth.empty()) slow = settle_capacities(run, matches, without, told);
  // Hosts are compared with those that are not known to be slow; who was found is found.
  const MeasuredSince bandwidths = [&](Index since) {
    std::vector<Measurement> those = since_round(matches.bandwidth, since);
    if (slow.many) drop_slow(run.fleet, slow, those);
    return those;
  };
  std::vector<Late> late;
  if (!matches.latency.empty()) late = settle_delays(run, matches, without, told);
  const MeasuredSince speeds = [&](Index since) { return speeds_of(without_late(late, since_round(matches.latency, since))); };
  const auto tell_all = [&](const Judged& judged, validate::Measure measure) {
    for (const Finding& finding : judged.findings) tell_finding(run, validation::pairs_stage, finding, measure);
  };
  if (!matches.bandwidth.empty()) {
    Judged judged = judge(run, matches, without, Asked::bandwidth, bandwidths, [](const Model&) { return LeastSlower{}; });
    for (Finding& finding : judged.findings) describe(run.fleet, finding, judged.model, matches.bandwidth);
    tell_all(judged, validate::Measure::bandwidth);
    record_deviations(run, judged);
    run.found.power.slowdown = slowdown_of(run.fleet, judged.model);
  }
  if (!matches.latency.empty())
    tell_all(judge(run, matches, without, Asked::latency, speeds, [](const Model& its) { return least_slower(its); }),
             validate::Measure::latency);
  tell_losses(run, validation::pairs_stage, matches.sent);
  // Who is slow at all times is not watched for being so at times.
  if (slow.many) {
    drop_slow(run.fleet, slow, matches.bandwidth);
    for (const Slow& each : slow.all) without[each.host] = true;
  }
  run.seen = {std::move(matches.bandwidth),
              std::move(matches.latency),
              without,
              matches.rounds,
              std::move(run.seen.open),
              slow.unexplained};
  if (!run.watches) run.tell_unexplained(validation::pairs_stage, slow.unexplained);
  told.notes.push_back(fmt::format("{} rounds, and {} more to confirm", played, matches.rounds - played));
  if (!matches.failures.empty())
    told.notes.push_back(fmt::format("{} of {} pairs did not come through, the first because {}", matches.failures.size(),
                                     matches.attempts.size(), matches.failures.front()));
}

}  // namespace railgauge::validate
