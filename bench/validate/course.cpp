// Members become hosts, and answers losses.
#include "bench/validate/course.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace railgauge::validate {
namespace {

double crowding_of(const std::vector<Member>& members) {
  std::map<std::string, int> agents;
  double most = 1;
  for (const Member& member : members) {
    const std::string& machine = member.machine.empty() ? member.node : member.machine;
    most = std::max(most, static_cast<double>(++agents[machine]) / std::max(1, member.cores));
  }
  return most;
}

bool lost(Answer::Ending ending) {
  return ending == Answer::Ending::lost || ending == Answer::Ending::stopped || ending == Answer::Ending::killed;
}

}  // namespace

Course::Course(const std::vector<Member>& members, const CourseOptions& given, CarryOut carry_out)
    : options(given), crowding(crowding_of(members)), carry_out_(std::move(carry_out)), host_of_(members.size()) {
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
  validation::Host& its = found.hosts[host];
  if (its.state == validation::HostState::lost) return;
  its.state = validation::HostState::lost;
  its.reason = sentence;
  validation::Verdict verdict;
  verdict.blame = "unstable";
  verdict.accused = true;
  verdict.stage = stage;
  verdict.from = verdict.host = its.name;
  verdict.measure = "presence";
  verdict.sentence = fmt::format("unstable: {} no longer takes part: {}.", its.name, sentence);
  verdict.next = "look at its kernel log and power, for what ended or stopped the process there, and validate it again";
  verdict.hosts = {its.name};
  found.verdicts.push_back(std::move(verdict));
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
  const double setting_up = 2 * std::max(1.0, crowding / 4);
  return Seconds(setting_up + parts * options.measured.count() * 1.5) + options.watchdog;
}

}  // namespace railgauge::validate
