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

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 32);
  return text;
}

// "FAULT pcie-width".
std::string title(const Finding& finding) {
  std::string text = headline(finding);
  return text.substr(0, text.find(':'));
}

std::string advice(const Finding& finding) {
  std::string text = fmt::format("  {}.\n", capital(finding.why));
  if (!finding.action.empty()) text += fmt::format("  {}.\n", capital(finding.action));
  return text;
}

Json json_of(const NodePort& end) {
  Json json = {{"key", end.key}, {"name", end.name}};
  if (end.port != 0) json["port"] = end.port;
  return json;
}

}  // namespace

std::string to_text(const Diagnosis& diagnosis, std::size_t most) {
  const std::vector<Finding>& findings = diagnosis.findings;
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
      text += headline(finding) + "\n";
      pending = its;
    }
    if (number == most && totals[kind] > most)
      text += std::exchange(pending, "") +
              fmt::format("{}: {} more like these; --format json has them all.\n", title(finding), totals[kind] - most);
  }
  return text + pending + capital(summary(diagnosis)) + "\n";
}

std::string to_json(const Diagnosis& diagnosis) {
  Json list = Json::array();
  for (const Finding& finding : diagnosis.findings) {
    Json json = {{"rule", finding.rule}, {"severity", word(finding.severity)}, {"a", json_of(finding.a)}};
    if (!finding.b.name.empty()) json["b"] = json_of(finding.b);
    json["found"] = finding.found;
    json["expected"] = finding.expected;
    json["why"] = finding.why;
    json["action"] = finding.action;
    list.push_back(std::move(json));
  }
  Json checked = Json::array(), gaps = Json::array();
  for (const Coverage::Count& it : diagnosis.coverage.checked) checked.push_back({{"what", it.many}, {"count", it.count}});
  for (const Coverage::Gap& it : diagnosis.coverage.not_checked) gaps.push_back({{"what", it.what}, {"reason", it.reason}});
  const Json json = {{"schema", "railgauge.topology-findings/1"},
                     {"findings", std::move(list)},
                     {"checked", std::move(checked)},
                     {"not_checked", std::move(gaps)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace railgauge::topo
