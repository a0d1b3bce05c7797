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
#include "bench/validate/method/confirm.hpp"
#include "bench/validate/method/localise.hpp"
#include "bench/validate/method/model.hpp"
#include "bench/validate/method/tournament.hpp"
#include "bench/validate/method/unsteady.hpp"
#include "bench/validate/method/verdict.hpp"
#include "bench/validate/stages/facts.hpp"
#include "bench/validate/stages/matches.hpp"
#include "bench/validate/stages/stages.hpp"

namespace railgauge::validate {
namespace {

constexpr const char* stage = "pairs";

template <class Each>
std::vector<Each> since_round(const std::vector<Each>& all, Index round) {
  std::vector<Each> late;
  std::copy_if(all.begin(), all.end(), std::back_inserter(late), [&](const Each& each) { return each.round >= round; });
  return late;
}

Index rounds_for(const ValidationRun& course) {
  if (course.options.rounds) return *course.options.rounds;
  const std::size_t hosts = course.living().size();
  // Where there are few others to meet, they are met several times.
  return hosts <= 4 ? 12 : 8;
}

void tell(ValidationRun& course, const Finding& finding, validate::Measure measure) {
  const bool of_host = at_host(finding.component);
  Evidence evidence;
  if (of_host && finding.outcome == Outcome::faulty)
    evidence = evidence_of(course, stage, finding.component.at, finding.component.rail);
  if (!of_host && finding.outcome == Outcome::faulty) course.faulty.push_back(finding.component);
  course.tell(stage, verdict_of(course.fleet, finding, evidence, measure),
              of_host ? course.fleet.hosts[finding.component.at].name : std::string());
}

// What a measure is of, as measurements: all, and the new ones since so many rounds.
using MeasuredSince = std::function<std::vector<Measurement>(Index since)>;

struct Judged {
  Samples samples;
  Model model;  // of these
  std::vector<Finding> findings;
};

// Suspects, measures again, and finds. `least_of` says what counts.
Judged judge(ValidationRun& course, Matches& matches, const std::vector<bool>& without, Asked asked,
             const MeasuredSince& measured, const std::function<LeastSlower(const Model&)>& least_of) {
  const std::vector<Measurement> all = measured(0);
  Judged judged{samples_of(course.fleet, medians_of(all)), {}, {}};
  judged.model = fit(course.fleet, judged.samples);
  const Samples& samples = judged.samples;
  const Model& model = judged.model;
  LocaliseOptions localising;
  localising.least = least_of(model);
  Suspicion suspicion = localise(course.fleet, samples, model, localising);
  // Where hosts share cores, how soon one of them answers at times is the scheduler's doing.
  if (asked != Asked::latency || course.crowding <= 1) suspect_unsteady(course.fleet, all, model, suspicion);
  // Nobody is compared with who cannot be reached, nor suspected of that once more.
  std::erase_if(suspicion.good, [&](Index host) { return !course.lives(host) || without[host]; });
  std::erase_if(suspicion.suspects, [&](const Suspect& suspect) {
    return at_host(suspect.component) && (!course.lives(suspect.component.at) || without[suspect.component.at]);
  });
  ConfirmOptions options;
  options.least = localising.least;
  options.seed = course.options.seed + 1;
  options.error /= static_cast<double>(course.turn);
  Confirmation confirmation(course.fleet, model, suspicion, options);
  while (!course.time_is_over()) {
    const std::optional<Round> round = confirmation.next();
    if (!round) break;
    const Index before = matches.rounds;
    play(course, *round, asked, true, matches);
    confirmation.add(measured(before));
  }
  judged.findings = confirmation.findings();
  return judged;
}

void tell_figures(ValidationRun& course, const Matches& matches) {
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
    return course.found.hosts[place.first].rails[place.second];
  };
  for (auto& [place, values] : send) of(place).send = median(values);
  for (auto& [place, values] : receive) of(place).receive = median(values);
  for (auto& [place, values] : latency) of(place).latency = Seconds(median(values));
  if (!all.empty()) {
    course.pair_median = median(all);
    course.add_figure(stage, fmt::format("two hosts, {}, median of {}", course.options.bytes, all.size()), "all", "GB/s",
                      *course.pair_median);
  }
  if (!times.empty())
    course.add_figure(stage, fmt::format("two hosts, 8 bytes, median of {}", times.size()), "all", "us", 1e6 * median(times));
}

// Of each rail by itself: what it is off the usual of its kind, in the median over those it met.
void record_deviations(ValidationRun& course, const Judged& judged) {
  std::map<std::pair<Index, Index>, std::vector<double>> send, receive;
  for (std::size_t i = 0; i < judged.samples.list.size(); ++i) {
    const Sample& it = judged.samples.list[i];
    const double off = judged.model.off_usual[i];
    if (!std::isfinite(off)) continue;
    send[{it.from, it.rail}].push_back(off);
    receive[{it.to, it.rail}].push_back(off);
  }
  const auto of = [&](const std::pair<Index, Index>& place) -> validation::RailFigures& {
    return course.found.hosts[place.first].rails[place.second];
  };
  for (auto& [place, values] : send) of(place).send_off = std::expm1(median(values));
  for (auto& [place, values] : receive) of(place).receive_off = std::expm1(median(values));
}

}  // namespace

void run_pairs(ValidationRun& course, validation::Stage& told) {
  if (course.living().size() < 2) {
    told.state = validation::StageState::skipped;
    told.reason = fmt::format("pairs need two hosts, and {} of {} take part", course.living().size(), course.fleet.hosts.size());
    return;
  }
  Matches matches;
  const Index wanted = rounds_for(course);
  std::vector<bool> without(course.fleet.hosts.size(), false);
  for (const Round& round : tournament(course.fleet, {wanted, course.options.seed})) {
    if (course.time_is_over()) break;
    play(course, filled(course, round, without), Asked::all, false, matches);
    leave_out(course, matches, without);
  }
  const Index played = matches.rounds;
  if (played < wanted) {
    told.state = validation::StageState::cut_short;
    told.reason = fmt::format("{} of {} rounds were measured when its time was over", played, wanted);
  }
  settle_reach(course, matches, without);
  course.mark_good(matches.bandwidth);
  tell_figures(course, matches);

  const MeasuredSince bandwidths = [&](Index since) { return since_round(matches.bandwidth, since); };
  const MeasuredSince speeds = [&](Index since) { return speeds_of(since_round(matches.latency, since)); };
  const auto tell_all = [&](const Judged& judged, validate::Measure measure) {
    for (const Finding& finding : judged.findings) tell(course, finding, measure);
  };
  if (!matches.bandwidth.empty()) {
    const Judged judged =
        judge(course, matches, without, Asked::bandwidth, bandwidths, [](const Model&) { return LeastSlower{}; });
    tell_all(judged, validate::Measure::bandwidth);
    record_deviations(course, judged);
  }
  if (!matches.latency.empty())
    tell_all(judge(course, matches, without, Asked::latency, speeds, [](const Model& its) { return least_slower(its); }),
             validate::Measure::latency);
  told.notes.push_back(fmt::format("{} rounds, and {} more to confirm", played, matches.rounds - played));
  if (!matches.failures.empty())
    told.notes.push_back(fmt::format("{} of {} pairs did not come through, the first because {}", matches.failures.size(),
                                     matches.attempts.size(), matches.failures.front()));
}

}  // namespace railgauge::validate
