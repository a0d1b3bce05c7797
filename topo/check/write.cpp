// Says what was found: three lines each for people, JSON for programs.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "topo/check/check.hpp"

namespace railgauge::topo {
namespace {

using Json = nlohmann::ordered_json;

std::string upper(std::string_view text) {
  std::string all(text);
  std::transform(all.begin(), all.end(), all.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return all;
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text;
}

std::string headline(const Finding& finding) {
  std::string text = fmt::format("{} {}: {}", upper(word(finding.severity)), finding.rule, finding.a.name);
  if (!finding.b.name.empty()) text += " to " + finding.b.name;
  text += ": " + finding.found;
  if (!finding.expected.empty()) text += "; expected " + finding.expected;
  return text + ".\n";
}

std::string advice(const Finding& finding) {
  std::string text = fmt::format("  {}.\n", capital(finding.why));
  if (!finding.action.empty()) text += fmt::format("  {}.\n", capital(finding.action));
  return text;
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string summary(const std::vector<Finding>& findings) {
  std::size_t counts[3] = {};
  for (const Finding& finding : findings) ++counts[static_cast<std::size_t>(finding.severity)];
  if (findings.empty()) return "Nothing found.\n";
  std::string text;
  for (const Severity severity : {Severity::fault, Severity::warning, Severity::note})
    if (const std::size_t count = counts[static_cast<std::size_t>(severity)]; count != 0)
      text += (text.empty() ? "" : ", ") + counted(count, word(severity));
  return text + ".\n";
}

Json json_of(const NodePort& end) {
  Json json = {{"key", end.key}, {"name", end.name}};
  if (end.port != 0) json["port"] = end.port;
  return json;
}

}  // namespace

std::string to_text(const std::vector<Finding>& findings, std::size_t most) {
  std::map<std::pair<Severity, std::string_view>, std::size_t> totals;
  for (const Finding& finding : findings) ++totals[{finding.severity, finding.rule}];
  std::map<std::pair<Severity, std::string_view>, std::size_t> written;
  std::string text, pending;  // what several in a row have in common is said once, below them
  for (const Finding& finding : findings) {
    const std::pair kind{finding.severity, std::string_view(finding.rule)};
    const std::size_t number = ++written[kind];
    if (number <= most) {
      const std::string its = advice(finding);
      if (its != pending) text += pending;
      text += headline(finding);
      pending = its;
    }
    if (number == most && totals[kind] > most)
      text += std::exchange(pending, "") + fmt::format("{} {}: {} more like these; --format json has them all.\n",
                                                       upper(word(finding.severity)), finding.rule, totals[kind] - most);
  }
  return text + pending + summary(findings);
}

std::string to_json(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& finding : findings) {
    Json json = {{"rule", finding.rule}, {"severity", word(finding.severity)}, {"a", json_of(finding.a)}};
    if (!finding.b.name.empty()) json["b"] = json_of(finding.b);
    json["found"] = finding.found;
    json["expected"] = finding.expected;
    json["why"] = finding.why;
    json["action"] = finding.action;
    list.push_back(std::move(json));
  }
  const Json json = {{"schema", "railgauge.topology-findings/1"}, {"findings", std::move(list)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace railgauge::topo
