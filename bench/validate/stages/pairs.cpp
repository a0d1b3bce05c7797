// Every host with many others, two at a time: what is usual, who is slower, and whether that is so when it is measured again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/measure/statistics.hpp"
#include "bench/validate/confirm.hpp"
#include "bench/validate/localise.hpp"
#include "bench/validate/model.hpp"
#include "bench/validate/stages/matches.hpp"
#include "bench/validate/stages/stages.hpp"
#include "bench/validate/tournament.hpp"
#include "bench/validate/verdict.hpp"

namespace railgauge::validate {
namespace {

constexpr const char* stage = "pairs";

// What is measured of a pair, and how people say it.
struct Measure {
  const char* name;
  std::vector<Measurement> Matches::*of;
};
constexpr Measure measures[] = {{"bandwidth", &Matches::bandwidth}, {"latency", &Matches::latency}};

double median_of(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

Index rounds_for(const Course& course) {
  const auto hosts = static_cast<Index>(course.living().size());
  if (course.options.rounds) return *course.options.rounds;
  // Where there are few others to meet, they are met several times.
  return std::max<Index>(8, hosts <= 4 ? 12 : 8);
}

validation::Verdict told(const Course& course, const Finding& finding, const char* measure) {
  Finding shown = finding;
  // A host with one rail is as slow as its only NIC and cable.
  if (course.fleet.rails == 1 && shown.component.part == Part::host) {
    shown.component.part = Part::nic;
    shown.component.rail = 0;
  }
  const Verdict verdict = verdict_of(course.fleet, shown);
  validation::Verdict its;
  its.blame = name(verdict.blame);
  its.accused = verdict.accused;
  its.stage = stage;
  its.from = verdict.from;
  its.to = verdict.to;
  if (finding.component.part == Part::host || finding.component.part == Part::nic)
    its.host = course.fleet.hosts[finding.component.at].name;
  its.way = verdict.way;
  its.measure = measure;
  its.slower = verdict.slower;
  its.confidence = verdict.odds / (1 + verdict.odds);
  its.sentence = verdict.sentence;
  its.next = verdict.next;
  its.hosts = verdict.hosts;
  return its;
}

void tell(Course& course, validation::Verdict verdict) {
  using validation::HostState;
  if (!verdict.host.empty())
    for (validation::Host& host : course.found.hosts)
      if (host.name == verdict.host && host.state != HostState::lost) {
        if (verdict.accused)
          host.state = HostState::accused;
        else if (host.state == HostState::good && verdict.blame == "inconclusive") {
          host.state = HostState::doubtful;
          host.reason = verdict.sentence;
        }
      }
  course.found.verdicts.push_back(std::move(verdict));
}

bool already_accused(const Course& course, const validation::Verdict& verdict) {
  return std::any_of(course.found.verdicts.begin(), course.found.verdicts.end(), [&](const validation::Verdict& each) {
    return each.accused && verdict.accused && each.from == verdict.from && each.to == verdict.to;
  });
}

// Suspects, measures again, and tells. Returns the model of the first measurements.
Model judge(Course& course, const Measure& measure, Matches& matches) {
  const Samples samples = samples_of(course.fleet, matches.*measure.of);
  Model model = fit(course.fleet, samples);
  const Suspicion suspicion = localise(course.fleet, samples, model);
  ConfirmOptions options;
  options.seed = course.options.seed + 1;
  Confirmation confirmation(course.fleet, model, suspicion, options);
  while (!course.time_is_over()) {
    const std::optional<Round> round = confirmation.next();
    if (!round) break;
    const std::size_t before = (matches.*measure.of).size();
    play(course, *round, true, matches);
    confirmation.add(std::span(matches.*measure.of).subspan(before));
  }
  for (const Finding& finding : confirmation.findings()) {
    validation::Verdict verdict = told(course, finding, measure.name);
    if (!already_accused(course, verdict)) tell(course, std::move(verdict));
  }
  return model;
}

void tell_figures(Course& course, const Matches& matches, std::size_t bandwidths, std::size_t latencies) {
  std::vector<double> all;
  std::map<std::pair<Index, Index>, std::vector<double>> send, receive, latency;
  for (const Measurement& each : std::span(matches.bandwidth).first(bandwidths)) {
    send[{each.from, each.rail}].push_back(each.gigabytes_per_second);
    receive[{each.to, each.rail}].push_back(each.gigabytes_per_second);
    all.push_back(each.gigabytes_per_second);
  }
  std::vector<double> times;
  for (const Measurement& each : std::span(matches.latency).first(latencies)) {
    latency[{each.from, each.rail}].push_back(1 / each.gigabytes_per_second);
    times.push_back(1 / each.gigabytes_per_second);
  }
  for (const auto& [place, values] : send) course.found.hosts[place.first].rails[place.second].send = median_of(values);
  for (const auto& [place, values] : receive) course.found.hosts[place.first].rails[place.second].receive = median_of(values);
  for (const auto& [place, values] : latency)
    course.found.hosts[place.first].rails[place.second].latency = Seconds(median_of(values) * 1e-6);
  if (!all.empty())
    course.add_figure(stage, fmt::format("two hosts, {}, median of {}", course.options.bytes, all.size()), "all", "GB/s", median_of(all));
  if (!times.empty())
    course.add_figure(stage, fmt::format("two hosts, 8 bytes, median of {}", times.size()), "all", "us", median_of(times));
}

void tell_off(Course& course, const Model& model) {
  for (Index host = 0; host < course.fleet.hosts.size(); ++host)
    for (validation::RailFigures& rail : course.found.hosts[host].rails) {
      if (rail.send && host < model.send.size() && std::isfinite(model.send[host])) rail.send_off = std::expm1(model.send[host]);
      if (rail.receive && host < model.receive.size() && std::isfinite(model.receive[host]))
        rail.receive_off = std::expm1(model.receive[host]);
    }
}

}  // namespace

void run_pairs(Course& course, validation::Stage& told) {
  if (course.living().size() < 2) {
    told.state = validation::StageState::skipped;
    told.reason = fmt::format("pairs need two hosts, and {} of {} take part", course.living().size(), course.fleet.hosts.size());
    return;
  }
  Matches matches;
  const Index wanted = rounds_for(course);
  const std::vector<bool> none(course.fleet.hosts.size(), false);
  for (const Round& round : tournament(course.fleet, {wanted, course.options.seed})) {
    if (course.time_is_over()) break;
    play(course, filled(course, round, none), false, matches);
  }
  told.notes.push_back(fmt::format("{} rounds", matches.rounds));
  if (!matches.failures.empty())
    told.notes.push_back(fmt::format("{} of {} pairs did not come through, the first because: {}", matches.failures.size(),
                                     course.found.pairs.size() / 2, matches.failures.front().sentence));
  if (matches.rounds < wanted) {
    told.state = validation::StageState::cut_short;
    told.reason = fmt::format("{} of {} rounds were measured when its time was over", matches.rounds, wanted);
  }
  const std::size_t bandwidths = matches.bandwidth.size(), latencies = matches.latency.size();
  for (const Measurement& each : matches.bandwidth)
    for (const Index host : {each.from, each.to})
      if (course.found.hosts[host].state == validation::HostState::unmeasured)
        course.found.hosts[host].state = validation::HostState::good;
  tell_figures(course, matches, bandwidths, latencies);
  for (const Measure& measure : measures) {
    if ((matches.*measure.of).empty()) continue;
    const Model model = judge(course, measure, matches);
    if (measure.of == &Matches::bandwidth) tell_off(course, model);
  }
  told.notes.push_back(fmt::format("{} further rounds to confirm", matches.rounds - std::min(matches.rounds, wanted)));
}

}  // namespace railgauge::validate
