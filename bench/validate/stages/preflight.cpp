// What hosts say of themselves, beside each other (docs/preflight.md): a wrong setting or a missing device needs no measurement.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/validate/preflight/judge.hpp"
#include "bench/validate/stages/facts.hpp"
#include "bench/validate/stages/stages.hpp"

namespace railgauge::validate {
namespace {

using topo::Severity;
using topo::preflight::Area;
using topo::preflight::Difference;
using topo::preflight::HostFacts;

Blame blame_of(Area area) {
  switch (area) {
    case Area::gpu:
      return Blame::gpu;
    case Area::link:
      return Blame::cable_port;
    case Area::pcie:
      return Blame::pcie;
    case Area::setting:
      break;
  }
  return Blame::configuration;
}

// What more than half of all hosts have is how this cluster is, and no reason to take one of them out.
bool of_few(const std::vector<Difference>& all, const Difference& one, std::size_t hosts) {
  std::set<std::string_view> same;
  for (const Difference& each : all)
    if (each.name == one.name && each.severity == Severity::fault && !each.host.empty()) same.insert(each.host);
  return 2 * same.size() <= hosts;
}

void name_faulty(ValidationRun& run, const Difference& difference) {
  Diagnosis diagnosis;
  diagnosis.blame = blame_of(difference.area);
  diagnosis.faulty = true;
  diagnosis.from = difference.subject.empty() ? difference.host : fmt::format("{}:{}", difference.host, difference.subject);
  const bool no_link = difference.area == Area::link;
  diagnosis.measure = no_link ? Symptom::reach : Symptom::setting;
  if (no_link) diagnosis.slower = 1;
  diagnosis.odds = std::numeric_limits<double>::infinity();
  diagnosis.sentence = fmt::format("{}: {}: {} is {}; expected {}.", name(diagnosis.blame), diagnosis.from, difference.name,
                                   difference.found, difference.expected);
  diagnosis.next = difference.action;
  diagnosis.hosts = {difference.host};
  run.tell(validation::preflight_stage, diagnosis, difference.host);
}

}  // namespace

void run_preflight(ValidationRun& run, validation::Stage& told) {
  const std::vector<Index> hosts = run.living();
  run.facts = read_facts_of(run, validation::preflight_stage, hosts, topo::preflight::Extent::all);
  learn_ports(run);
  std::vector<HostFacts> known;
  for (const auto& [host, facts] : run.facts) known.push_back(facts);
  const topo::preflight::Judgement judgement = judge(known);
  std::size_t place = 0;
  for (const auto& [host, facts] : run.facts) {
    run.fleet.hosts[host].model = judgement.models[place];
    run.found.hosts[host].model = judgement.models[place];
    ++place;
  }
  for (const Difference& each : judgement.differences) {
    run.found.differences.push_back(
        {each.host, each.subject, each.name, each.found, each.expected, each.severity, each.why, each.action});
    if (each.severity == Severity::fault && !each.host.empty() && of_few(judgement.differences, each, known.size()))
      name_faulty(run, each);
  }
  for (const topo::preflight::Unread& each : judgement.unread) run.found.unread.push_back({each.name, each.reason, each.hosts});
  told.notes.push_back(
      fmt::format("{} of {} hosts told {} differences", known.size(), hosts.size(), judgement.differences.size()));
  if (known.size() < hosts.size()) {
    told.state = validation::StageState::cut_short;
    told.reason = fmt::format("{} hosts did not answer", hosts.size() - known.size());
  }
}

}  // namespace railgauge::validate
