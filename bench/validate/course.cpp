// Members become hosts, and answers losses.
#include "bench/validate/course.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace railgauge::validate {
namespace {

bool lost(Answer::Ending ending) {
  return ending == Answer::Ending::lost || ending == Answer::Ending::stopped || ending == Answer::Ending::killed;
}

}  // namespace

Course::Course(const std::vector<Member>& members, CourseOptions given, CarryOut carry_out)
    : options(std::move(given)),
      crowding(agents::seat_of_each(members).crowding),
      carry_out_(std::move(carry_out)),
      host_of_(members.size()) {
  std::map<std::string, Index> places;
  for (std::size_t rank = 0; rank < members.size(); ++rank) {
    // Of a rank that never came nobody knows the node.
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
    if (!members[rank].loss.empty()) lose(host_of_[rank], "meeting", members[rank].loss);
}

std::vector<Index> Course::living() const {
  std::vector<Index> hosts;
  for (Index host = 0; host < fleet.hosts.size(); ++host)
    if (lives(host)) hosts.push_back(host);
  return hosts;
}

std::vector<std::vector<Answer>> Course::carry_out(const std::string& stage, const std::string& key, std::vector<Order> orders) {
  std::vector<std::vector<Answer>> answers = carry_out_(stage + " " + key, std::move(orders));
  for (const std::vector<Answer>& each : answers)
    for (const Answer& answer : each)
      if (lost(answer.ending)) lose(host_of(answer.rank), stage, answer.sentence);
  return answers;
}

void Course::lose(Index host, const std::string& stage, const std::string& sentence) {
  if (!lives(host)) return;
  (void)leave(host, stage, Blame::unstable, "presence", fmt::format("no longer takes part: {}", sentence),
              "look at its kernel log and power, for what ended or stopped the process there, and validate it again");
  found.hosts[host].state = validation::HostState::lost;
}

void Course::expel(Index host, const std::string& stage, const std::string& sentence) {
  if (!lives(host)) return;
  (void)leave(host, stage, Blame::configuration, "setting", fmt::format("cannot take part: {}", sentence),
              "set the host up as its peers are, and validate it again");
}

void Course::cut_off(Index host, const std::string& stage, const std::string& port, const std::string& sentence) {
  if (!lives(host)) return;
  validation::Verdict& verdict =
      leave(host, stage, Blame::cable_port, "reach", fmt::format("has no link at {}: {}", port, sentence),
            "look whether the cable is plugged in at both ends and the port of the switch is up, then swap the cable");
  verdict.from = fmt::format("{}:{}", fleet.hosts[host].name, port);
  verdict.slower = 1;
}

validation::Verdict& Course::leave(Index host, const std::string& stage, Blame blame, const char* measure,
                                   const std::string& sentence, const char* next) {
  validation::Host& its = found.hosts[host];
  out_[host] = true;
  its.state = validation::HostState::accused;
  its.reason = sentence;
  validation::Verdict verdict;
  verdict.blame = name(blame);
  verdict.accused = true;
  verdict.stage = stage;
  verdict.from = verdict.host = its.name;
  verdict.measure = measure;
  verdict.sentence = fmt::format("{}: {} {}.", name(blame), its.name, sentence);
  verdict.next = next;
  verdict.hosts = {its.name};
  return found.verdicts.emplace_back(std::move(verdict));
}

void Course::tell(const std::string& stage, const Verdict& verdict, const std::string& host) {
  using validation::HostState;
  const auto same = [&](const validation::Verdict& each) {
    return each.accused && each.from == verdict.from && each.to == verdict.to;
  };
  const auto known = std::find_if(found.verdicts.begin(), found.verdicts.end(), same);
  if (known != found.verdicts.end()) {
    if (verdict.accused) known->evidence.push_back(verdict.sentence);
    return;
  }
  for (validation::Host& its : found.hosts) {
    if (its.name != host || its.state == HostState::lost) continue;
    if (verdict.accused) {
      its.state = HostState::accused;
    } else if (verdict.blame == Blame::inconclusive && its.state != HostState::accused) {
      its.state = HostState::doubtful;
      its.reason = verdict.sentence;
    }
  }
  validation::Verdict its;
  its.blame = name(verdict.blame);
  its.accused = verdict.accused;
  its.stage = stage;
  its.from = verdict.from;
  its.to = verdict.to;
  its.host = host;
  its.way = verdict.way;
  its.measure = verdict.measure;
  if (verdict.slower > 0) its.slower = verdict.slower;
  its.confidence = std::isinf(verdict.odds) ? 1 : verdict.odds / (1 + verdict.odds);
  its.sentence = verdict.sentence;
  its.next = verdict.next;
  its.hosts = verdict.hosts;
  found.verdicts.push_back(std::move(its));
}

void Course::mark_good(std::span<const Measurement> measured) {
  for (const Measurement& each : measured)
    for (const Index host : {each.from, each.to})
      if (validation::HostState& state = found.hosts[host].state; state == validation::HostState::unmeasured)
        state = validation::HostState::good;
}

void Course::add_figure(const std::string& stage, const std::string& what, const std::string& subject, const std::string& unit,
                        double value) {
  validation::Figure figure;
  figure.stage = stage;
  figure.what = what;
  figure.subject = subject;
  figure.unit = unit;
  figure.value = value;
  found.figures.push_back(std::move(figure));
}

Seconds Course::limit_of(int parts) const {
  // To meet and to connect take longer where many share a core.
  const double setting_up = 5 * std::max(1.0, crowding);
  return Seconds(setting_up + parts * options.measured.count() * 1.5) + options.watchdog;
}

}  // namespace railgauge::validate
