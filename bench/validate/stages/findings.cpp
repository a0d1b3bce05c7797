// Rounds of pairs for a confirmation.
#include "bench/validate/stages/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "bench/validate/stages/facts.hpp"

namespace railgauge::validate {

void leave_out(const ValidationRun& run, const std::vector<bool>& without, Suspicion& suspicion) {
  const auto gone = [&](Index host) { return !run.lives(host) || without[host]; };
  std::erase_if(suspicion.good, gone);
  std::erase_if(suspicion.suspects, [&](const Suspect& it) { return at_host(it.component) && gone(it.component.at); });
}

std::vector<Finding> confirm(ValidationRun& run, Matches& matches, Asked asked, const Model& model, const Suspicion& suspicion,
                             ConfirmOptions options, const MeasuredSince& measured) {
  options.error /= static_cast<double>(run.turn);
  Confirmation confirmation(run.fleet, model, suspicion, options);
  while (!run.time_is_over()) {
    const std::optional<Round> round = confirmation.next();
    if (!round) break;
    const Index before = matches.rounds;
    play(run, *round, asked, true, matches);
    confirmation.add(measured(before));
  }
  return confirmation.findings();
}

void tell_together(ValidationRun& run, const char* stage, Diagnosis worst, const std::set<Index>& hosts, std::size_t of,
                   std::string_view what) {
  worst.blame = Blame::configuration;
  worst.next = "what so many hosts have in common comes first: their switch, their image, their settings";
  worst.from = fmt::format("{} of {} hosts", hosts.size(), of);
  worst.to.clear();
  worst.sentence = fmt::format("{}: {} {}", validation::name(worst.blame), worst.from, what);
  worst.hosts.clear();
  for (const Index host : hosts) {
    worst.hosts.push_back(run.fleet.hosts[host].name);
    if (run.lives(host)) run.found.hosts[host].state = validation::HostState::faulty;
  }
  run.tell(stage, worst, {});
}

void tell_finding(ValidationRun& run, const char* stage, const Finding& finding, Measure measure) {
  const bool of_host = at_host(finding.component), faulty = finding.outcome == Outcome::faulty;
  Evidence evidence;
  if (of_host && faulty) evidence = evidence_of(run, stage, finding.component.at, finding.component.rail);
  if (!of_host && faulty) run.faulty.push_back(finding.component);
  run.tell(stage, diagnosis_of(run.fleet, finding, evidence, measure),
           of_host ? run.fleet.hosts[finding.component.at].name : std::string());
}

}  // namespace railgauge::validate
