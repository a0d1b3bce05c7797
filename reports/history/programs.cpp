// What programs read of a history: the JSON and CSV of reports/history/text.hpp.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/compare/report.hpp"
#include "reports/history/text.hpp"

namespace railgauge::history {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json identity_json(const Identity& identity) {
  Json json = compare::words_record(identity.key);
  json["conditions"] = identity.conditions;
  return json;
}

std::string lines(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

std::string cell(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}
std::string cell(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

}  // namespace

std::string list_json(std::span<const RunRow> runs) {
  Json rows = Json::array();
  for (const RunRow& run : runs)
    rows.push_back({{"run", run.run},
                    {"label", run.label.text},
                    {"at", run.label.at},
                    {"state", name(run.state)},
                    {"results", run.results},
                    {"measured", run.measured}});
  return lines({{"schema", "railgauge.history.list/1"}, {"runs", rows}});
}

std::string show_json(std::span<const Series> series) {
  Json all = Json::array();
  for (const Series& one : series) {
    Json json = identity_json(one.identity);
    const std::vector<std::size_t> members = baseline_of(one);
    json["baseline"] = members;
    json["accepts"] = Json::array();
    for (const Accept& accept : one.accepts)
      json["accepts"].push_back(
          {{"from_run", accept.from_run}, {"reason", accept.reason}, {"who", accept.who}, {"at", accept.at}});
    json["points"] = Json::array();
    for (const Point& point : one.points)
      json["points"].push_back({{"run", point.run},
                                {"label", point.label.text},
                                {"at", point.label.at},
                                {"state", name(point.state)},
                                {"status", railgauge::name(point.status)},
                                {"median", number(point.median.count())},
                                {"ci_low", number(point.ci_low.count())},
                                {"ci_high", number(point.ci_high.count())},
                                {"effective_samples", number(point.effective_samples)}});
    all.push_back(std::move(json));
  }
  return lines({{"schema", "railgauge.history.show/1"}, {"series", all}});
}

std::string show_csv(std::span<const Series> series) {
  std::string text = "run,label,at,state,status";
  const Json any = compare::words_record({});
  for (const auto& [key, value] : any.items()) text += "," + key;
  text += ",median,ci_low,ci_high,effective_samples,conditions\r\n";
  for (const Series& one : series) {
    std::string words, conditions;
    const Json its = compare::words_record(one.identity.key);
    for (const auto& [key, value] : its.items())
      words += "," + (value.is_string() ? cell(value.get<std::string>()) : value.is_null() ? "" : value.dump());
    for (const auto& [key, value] : one.identity.conditions) conditions += (conditions.empty() ? "" : "; ") + key + "=" + value;
    for (const Point& point : one.points)
      text +=
          fmt::format("{},{},{},{},{}{},{},{},{},{},{}\r\n", cell(point.run), cell(point.label.text), point.label.at,
                      name(point.state), railgauge::name(point.status), words, cell(point.median.count()),
                      cell(point.ci_low.count()), cell(point.ci_high.count()), cell(point.effective_samples), cell(conditions));
  }
  return text;
}

std::string check_json(const Check& check) {
  Json json{{"schema", "railgauge.history.check/1"}, {"run", check.run}};
  json["whole"] = check.whole ? number(*check.whole) : Json(nullptr);
  json["whole_suspected"] = check.whole_suspected;
  for (const char* const list : {"cases", "without_baseline", "lost", "steps"}) json[list] = Json::array();
  for (const Judged& one : check.cases) {
    Json row = identity_json(one.identity);
    row["median"] = number(one.time.count());
    row["baseline"] = number(one.baseline.count());
    row["baseline_runs"] = one.runs;
    row["suspected"] = one.suspected;
    json["cases"].push_back(std::move(row));
  }
  for (const Young& one : check.young) {
    Json row = identity_json(one.identity);
    row["runs"] = one.runs;
    row["before"] = nullptr;
    if (one.before)
      row["before"] = {{"last_run", one.before->last_run},
                       {"label", one.before->last_label.text},
                       {"runs", one.before->points},
                       {"field", one.field},
                       {"was", one.was},
                       {"is", one.is}};
    json["without_baseline"].push_back(std::move(row));
  }
  for (const Lost& one : check.lost) {
    Json row = compare::words_record(one.key);
    row["why"] = one.why;
    row["failed"] = one.failed;
    json["lost"].push_back(std::move(row));
  }
  for (const Drift& one : check.drifts)
    json["steps"].push_back({{"case", one.identity ? identity_json(*one.identity) : Json(nullptr)},
                             {"run", one.run},
                             {"label", one.label.text},
                             {"at", one.label.at},
                             {"change", number(one.change)},
                             {"within_baselines", one.within_baselines}});
  json["exit_code"] = check.exit_code;
  json["because"] = check.because;
  return lines(json);
}

}  // namespace railgauge::history
