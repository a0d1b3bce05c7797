// Members become hosts, and answers losses.
#include "bench/validate/stages/validation_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "reports/result.hpp"

namespace railgauge::validate {

ValidationRun::ValidationRun(const std::vector<Member>& members, ValidationOptions given, CarryOut carry_out)
    : options(std::move(given)),
      crowding(agents::seat_of_each(members).crowding),
      carry_out_(std::move(carry_out)),
      host_of_(members.size()) {
  std::map<std::string, Index> places;
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    // The node of a rank that never came is unknown.
    const std::string name = members[rank].there ? members[rank].node : fmt::format("rank {}", rank);
    const auto [place, added] = places.try_emplace(name, static_cast<Index>(fleet.hosts.size()));
    if (added) {
      Host host;
      host.name = name;
      fleet.hosts.push_back(std::move(host));
      ranks_.emplace_back();
      validation::Host told;
      told.name = name;
      found.hosts.push_back(std::move(told));
    }
    host_of_[rank] = place->second;
    ranks_[place->second].push_back(static_cast<int>(rank));
    found.hosts[place->second].ranks.push_back(static_cast<int>(rank));
  }
  out_.resize(fleet.hosts.size(), false);
  // Hosts with fewer ranks than others have no partner on the rails beyond.
  std::size_t rails = 1;
  for (const std::vector<int>& ranks : ranks_) rails = std::max(rails, ranks.size());
  fleet.rails = static_cast<Index>(rails);
  for (Index host = 0; host < fleet.hosts.size(); ++host) {
    fleet.hosts[host].rails.resize(rails);
    found.hosts[host].rails.resize(rails);
    for (std::size_t rail = 0; rail < rails && rail < options.ports.size(); ++rail) {
      fleet.hosts[host].rails[rail].port = options.ports[rail];
      found.hosts[host].rails[rail].port = options.ports[rail];
    }
  }
  found.ranks = static_cast<int>(members.size());
  found.rails = static_cast<int>(rails);
  found.transport = options.transport;
  for (std::size_t rank = 0; rank < members.size(); ++rank)
    if (!members[rank].loss.empty()) lose(host_of_[rank], "rendezvous", members[rank].loss);
}

std::vector<Index> ValidationRun::living() const {
  std::vector<Index> hosts;
  for (Index host = 0; host < fleet.hosts.size(); ++host)
    if (lives(host)) hosts.push_back(host);
  return hosts;
}

std::vector<std::vector<Answer>> ValidationRun::carry_out(const std::string& stage, const std::string& key,
                                                          std::vector<Order> orders) {
  std::vector<std::vector<Answer>> answers = carry_out_(stage + " " + key, std::move(orders));
  for (const std::vector<Answer>& each : answers) {
    for (const Answer& answer : each)
      if (agents::lost(answer.ending)) lose(host_of(answer.rank), stage, answer.sentence);
    look_for_wrong_data(stage, each);
  }
  return answers;
}

// Of whoever took part: which of them spoils it, one answer does not say, unless there is one.
void ValidationRun::look_for_wrong_data(const std::string& stage, const std::vector<Answer>& answers) {
  std::string reason;
  for (const Answer& answer : answers) {
    if (answer.ending == Answer::Ending::failed && answer.fault == Fault::wrong_data) reason = answer.sentence;
    if (!has_results(answer.figures)) continue;
    for (const MeasuredPoint& result : answer.figures.get<Measured>().results)
      if (result.status == Status::wrong) reason = fmt::format("{}: {}", result.what, result.reason);
  }
  if (reason.empty()) return;
  std::vector<Index> hosts;
  for (const Answer& answer : answers)
    if (const Index host = host_of(answer.rank); std::find(hosts.begin(), hosts.end(), host) == hosts.end())
      hosts.push_back(host);
  Diagnosis diagnosis;
  diagnosis.measure = Symptom::data;
  diagnosis.faulty = hosts.size() == 1;
  diagnosis.blame = diagnosis.faulty ? Blame::unstable : Blame::inconclusive;
  diagnosis.odds = diagnosis.faulty ? std::numeric_limits<double>::infinity() : 1;
  diagnosis.from = fleet.hosts[hosts.front()].name;
  const std::string& last = fleet.hosts[hosts.back()].name;
  if (hosts.size() == 2) diagnosis.to = last;
  const std::string where = hosts.size() == 1   ? "within " + diagnosis.from
                            : hosts.size() == 2 ? fmt::format("between {} and {}", diagnosis.from, diagnosis.to)
                                                : fmt::format("among {} hosts, {} to {}", hosts.size(), diagnosis.from, last);
  if (hosts.size() > 2) diagnosis.from = fmt::format("{} to {}", diagnosis.from, last);
  diagnosis.sentence = fmt::format("wrong data {}: {}.", where, reason);
  diagnosis.next =
      "use none of them before it is known which spoils data: measure each with others, look at memory errors, PCIe errors "
      "and the counters of its links";
  if (diagnosis.faulty) diagnosis.hosts = {diagnosis.from};
  const auto same = [&](const validation::Diagnosis& each) {
    return each.measure == diagnosis.measure && each.from == diagnosis.from && each.to == diagnosis.to;
  };
  if (std::any_of(found.diagnoses.begin(), found.diagnoses.end(), same)) return;
  tell(stage, diagnosis, hosts.size() <= 2 ? diagnosis.from : std::string());
  if (hosts.size() != 2) return;
  validation::Host& other = found.hosts[hosts.back()];
  if (other.state != validation::HostState::good && other.state != validation::HostState::unmeasured) return;
  other.state = validation::HostState::doubtful;
  other.reason = diagnosis.sentence;
}

void ValidationRun::lose(Index host, const std::string& stage, const std::string& sentence) {
  if (!lives(host)) return;
  (void)leave(host, stage, Blame::unstable, Symptom::presence, fmt::format("no longer takes part: {}", sentence),
              "look at its kernel log and power, for what ended or stopped the process there, and validate it again");
  found.hosts[host].state = validation::HostState::lost;
}

void ValidationRun::expel(Index host, const std::string& stage, const std::string& sentence) {
  if (!lives(host)) return;
  (void)leave(host, stage, Blame::configuration, Symptom::setting, fmt::format("cannot take part: {}", sentence),
              "set the host up as its peers are, and validate it again");
}

void ValidationRun::cut_off(Index host, const std::string& stage, const std::string& port, const std::string& sentence) {
  if (!lives(host)) return;
  validation::Diagnosis& diagnosis =
      leave(host, stage, Blame::cable_port, Symptom::reach, fmt::format("has no link at {}: {}", port, sentence),
            "look whether the cable is plugged in at both ends and the port of the switch is up, then swap the cable");
  diagnosis.from = fmt::format("{}:{}", fleet.hosts[host].name, port);
  diagnosis.slower = 1;
}

validation::Diagnosis& ValidationRun::leave(Index host, const std::string& stage, Blame blame, Symptom measure,
                                            const std::string& sentence, const char* next) {
  validation::Host& its = found.hosts[host];
  out_[host] = true;
  its.state = validation::HostState::faulty;
  its.reason = sentence;
  validation::Diagnosis diagnosis;
  diagnosis.blame = blame;
  diagnosis.faulty = true;
  diagnosis.stage = stage;
  diagnosis.from = diagnosis.host = its.name;
  diagnosis.measure = measure;
  diagnosis.sentence = fmt::format("{}: {} {}.", name(blame), its.name, sentence);
  diagnosis.next = next;
  diagnosis.hosts = {its.name};
  return found.diagnoses.emplace_back(std::move(diagnosis));
}

void ValidationRun::tell(const std::string& stage, const Diagnosis& diagnosis, const std::string& host) {
  using validation::HostState;
  // What is too slow in another measure, or in the other direction alone, is another fault of the same ends.
  const auto slowness = [](Symptom measure) {
    return measure == Symptom::bandwidth || measure == Symptom::latency || measure == Symptom::loss;
  };
  const auto apart = [&](const validation::Diagnosis& each) {
    if (!slowness(each.measure) || !slowness(diagnosis.measure)) return false;
    if (each.measure != diagnosis.measure) return true;
    const auto one_way = [](const std::string& direction) { return !direction.empty() && direction != "both ways"; };
    return one_way(each.direction) && one_way(diagnosis.direction) && each.direction != diagnosis.direction;
  };
  const auto same_ends = [&](const validation::Diagnosis& each) {
    return each.from == diagnosis.from && each.to == diagnosis.to && !apart(each);
  };
  const auto same = [&](const validation::Diagnosis& each) { return each.faulty && same_ends(each); };
  const auto known = std::find_if(found.diagnoses.begin(), found.diagnoses.end(), same);
  if (known != found.diagnoses.end()) {
    if (diagnosis.faulty) known->evidence.push_back(diagnosis.sentence);
    return;
  }
  const double confidence = std::isinf(diagnosis.odds) ? 1 : diagnosis.odds / (1 + diagnosis.odds);
  // One doubt about the same ends is enough, the surer one; and none where it is decided.
  if (diagnosis.faulty || diagnosis.blame == Blame::inconclusive) {
    const auto doubt = std::find_if(found.diagnoses.begin(), found.diagnoses.end(), [&](const validation::Diagnosis& each) {
      return !each.faulty && each.blame == Blame::inconclusive && same_ends(each);
    });
    if (doubt != found.diagnoses.end()) {
      if (!diagnosis.faulty && doubt->confidence >= confidence) return;
      found.diagnoses.erase(doubt);
    }
  }
  for (validation::Host& its : found.hosts) {
    if (its.name != host || its.state == HostState::lost) continue;
    if (diagnosis.faulty) {
      its.state = HostState::faulty;
    } else if (diagnosis.blame == Blame::inconclusive && its.state != HostState::faulty) {
      its.state = HostState::doubtful;
      its.reason = diagnosis.sentence;
    }
  }
  validation::Diagnosis its;
  its.blame = diagnosis.blame;
  its.faulty = diagnosis.faulty;
  its.stage = stage;
  its.from = diagnosis.from;
  its.to = diagnosis.to;
  its.host = host;
  its.direction = diagnosis.direction;
  its.measure = diagnosis.measure;
  if (diagnosis.slower > 0) its.slower = diagnosis.slower;
  its.confidence = confidence;
  its.sentence = diagnosis.sentence;
  its.next = diagnosis.next;
  its.hosts = diagnosis.hosts;
  found.diagnoses.push_back(std::move(its));
}

void ValidationRun::tell_unexplained(const std::string& stage, const std::vector<Unexplained>& all) {
  const auto settled = [](const validation::Diagnosis& it) { return it.faulty || it.blame == Blame::inconclusive; };
  if (std::any_of(found.diagnoses.begin(), found.diagnoses.end(), settled)) return;
  for (const Unexplained& each : all) {
    Diagnosis it;
    it.from = fleet.rails > 1 ? fmt::format("all hosts, rail {}", each.rail) : "all hosts";
    it.slower = each.slower;
    it.sentence = fmt::format(
        "{}: {:.0f} % of the transfers are {:.0f} % slower than both of their hosts have shown with others, and nothing that was "
        "found says why.",
        name(it.blame), 100 * each.share, 100 * each.slower);
    it.next = "name switches and routes (--topology, --fabric --routes), and validate again with a larger --budget";
    tell(stage, it, {});
  }
}

void ValidationRun::mark_good(std::span<const Measurement> measured) {
  std::vector<std::set<Index>> rounds(fleet.hosts.size());
  for (const Measurement& each : measured)
    for (const Index host : {each.from, each.to}) rounds[host].insert(each.round);
  for (Index host = 0; host < rounds.size(); ++host)
    if (validation::HostState& state = found.hosts[host].state;
        state == validation::HostState::unmeasured && rounds[host].size() >= least_rounds)
      state = validation::HostState::good;
}

void ValidationRun::add_figure(const std::string& stage, const std::string& what, const std::string& subject,
                               const std::string& unit, double value) {
  validation::Figure figure;
  figure.stage = stage;
  figure.what = what;
  figure.subject = subject;
  figure.unit = unit;
  figure.value = value;
  found.figures.push_back(std::move(figure));
}

Seconds ValidationRun::limit_of(int points) const {
  // To meet and to connect take longer where many share a core.
  const double setting_up = 5 * std::max(1.0, crowding);
  return Seconds(setting_up + points * options.measured.count() * 1.5) + options.watchdog;
}

}  // namespace railgauge::validate
