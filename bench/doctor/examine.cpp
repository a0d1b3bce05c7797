// Asks every feature, and writes what was found, for people and for programs.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/doctor/features.hpp"

namespace railgauge::doctor {
namespace {

std::string_view command_for(const Remedy& remedy, Family family) {
  std::string_view own;
  if (family == Family::debian) own = remedy.debian;
  if (family == Family::redhat) own = remedy.redhat;
  if (family == Family::suse) own = remedy.suse;
  return own.empty() ? remedy.any : own;
}

std::string_view word(State state) {
  if (state == State::works) return "works";
  return state == State::absent ? "absent" : "broken";
}

}  // namespace

std::vector<Finding> examine(const Machine& machine) {
  const Family family = distribution_of(machine.root).family;
  std::vector<Finding> findings;
  for (const Feature& feature : features()) {
    const Answer answer = feature.probe(machine);
    findings.push_back({std::string(feature.name), std::string(feature.serves), answer.state, answer.reason,
                        answer.remedy == nullptr ? std::string() : std::string(command_for(*answer.remedy, family))});
  }
  return findings;
}

std::string to_text(const std::vector<Finding>& findings, const Distribution& distribution) {
  std::size_t name = 7, serves = 3;
  for (const Finding& each : findings) {
    name = std::max(name, each.feature.size());
    serves = std::max(serves, each.serves.size());
  }
  std::string text = fmt::format("{}\n\n{:<{}}  state   {:<{}}  why\n", distribution.name, "feature", name, "for", serves);
  std::size_t mendable = 0, missing = 0;
  for (const Finding& each : findings) {
    text += fmt::format("{:<{}}  {:<6}  {:<{}}  {}\n", each.feature, name, word(each.state), each.serves, serves, each.reason);
    mendable += each.state == State::broken ? 1 : 0;
    missing += each.state == State::absent ? 1 : 0;
  }
  if (mendable != 0) text += "\nTo mend it, as root:\n";
  for (const Finding& each : findings)
    if (!each.command.empty()) text += fmt::format("  {:<{}}  {}\n", each.feature, name, each.command);
  return text + fmt::format("\n{} of {} features work, {} can be mended, {} need hardware that is not here\n",
                            findings.size() - mendable - missing, findings.size(), mendable, missing);
}

std::string to_json(const std::vector<Finding>& findings, const Distribution& distribution) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Finding& each : findings) {
    nlohmann::ordered_json one{
        {"feature", each.feature}, {"for", each.serves}, {"state", word(each.state)}, {"reason", each.reason}};
    if (!each.command.empty()) one["command"] = each.command;
    all.push_back(std::move(one));
  }
  const nlohmann::ordered_json document{{"distribution", distribution.name}, {"features", std::move(all)}};
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace railgauge::doctor
