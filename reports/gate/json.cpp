// A judgement for programs: one object, railgauge.gate/1, which docs/gate.schema.json describes.
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/output/text.hpp"
#include "reports/compare/report.hpp"
#include "reports/gate/report.hpp"

namespace railgauge::gate {
namespace {

using Json = nlohmann::ordered_json;

Json finite(const std::optional<double>& value) { return value && std::isfinite(*value) ? Json(*value) : Json(nullptr); }

void add_line(Json& record, const Line& line) {
  record["finding"] = std::string(name(line.finding));
  record["reason"] = printable(line.reason);
  record["seconds"] = finite(line.now);
  record["expected"] = finite(line.expected);
  record["spread"] = finite(line.spread);
  record["change"] = finite(line.change);
  record["runs"] = line.runs;
  record["chance"] = finite(line.chance);
  record["ratios"] = line.ratios;
}

}  // namespace

std::string to_json(const Run& run, const Judgement& judgement) {
  Json record;
  record["schema"] = "railgauge.gate/1";
  record["verdict"] = verdict_word(judgement);
  record["finding"] = std::string(name(judgement.finding));
  record["sentence"] = printable(judgement.sentence);
  record["run"] = printable(run.id);
  record["label"] = printable(run.label);
  record["host"] = printable(run.host);
  record["took"] = run.took.count();
  record["judged_by"] = judgement.control ? "control" : "history";
  record["control"] = nullptr;
  if (const auto& control = judgement.control)
    record["control"] = {{"name", printable(control->name)},
                         {"there", control->keep.empty()},
                         {"first_pairs", control->first},
                         {"pairs", control->pairs}};
  record["learnt"] = judgement.learnt;
  record["needed"] = judgement.needed;
  record["reruns"] = judgement.reruns;
  record["together"] = nullptr;
  if (judgement.whole) {
    Json together;
    add_line(together, *judgement.whole);
    record["together"] = std::move(together);
  }
  record["cases"] = Json::array();
  for (const Line& line : judgement.lines) {
    Json one = compare::words_record(line.key);
    add_line(one, line);
    record["cases"].push_back(std::move(one));
  }
  record["notes"] = Json::array();
  for (const std::string& note : judgement.notes) record["notes"].push_back(printable(note));
  return record.dump(2) + "\n";
}

}  // namespace railgauge::gate
