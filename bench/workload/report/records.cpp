// Field by field; bench/workload/report/records.hpp.
#include "bench/workload/report/records.hpp"

#include <string>

#include "base/error.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

struct Field {
  const char* name;
  double StepRecord::* value;
};
constexpr Field fields[] = {{"seconds", &StepRecord::seconds},
                            {"computing", &StepRecord::computing},
                            {"communicating", &StepRecord::communicating},
                            {"exposed", &StepRecord::exposed},
                            {"alone_communication", &StepRecord::alone_communication},
                            {"alone_computation", &StepRecord::alone_computation}};

}  // namespace

Json to_json(const StepRecord& record) {
  Json json{{"step", record.step}};
  for (const Field& field : fields) json[field.name] = record.*field.value;
  return json;
}

StepRecord step_of(const Json& json) try {
  StepRecord record;
  record.step = json.at("step").get<std::uint64_t>();
  for (const Field& field : fields) record.*field.value = json.at(field.name).get<double>();
  return record;
} catch (const Json::exception& error) {
  throw Error(Fault::usage, std::string("the record of a step cannot be read: ") + error.what());
}

Json to_json(const RunResult& result) {
  Json json{{"algorithms", result.algorithms}, {"notes", result.notes}, {"shown", result.shown}};
  if (result.wrong) json["wrong"] = {{"rank", result.wrong->rank}, {"sentence", result.wrong->sentence}};
  Json& timeline = json["timeline"] = Json::array();
  for (const std::vector<Interval>& rank : result.timeline) {
    Json& list = timeline.emplace_back(Json::array());
    for (const Interval& interval : rank) {
      list.push_back(interval.start);
      list.push_back(interval.end);
    }
  }
  return json;
}

RunResult result_of(const Json& json) try {
  RunResult result;
  result.algorithms = json.at("algorithms").get<std::vector<std::string>>();
  result.notes = json.at("notes").get<std::vector<std::string>>();
  result.shown = json.at("shown").get<std::uint64_t>();
  if (const auto wrong = json.find("wrong"); wrong != json.end())
    result.wrong = WrongData{wrong->at("rank").get<int>(), wrong->at("sentence").get<std::string>()};
  for (const Json& list : json.at("timeline")) {
    std::vector<Interval>& rank = result.timeline.emplace_back();
    for (std::size_t i = 0; i + 1 < list.size(); i += 2) rank.push_back({list[i].get<double>(), list[i + 1].get<double>()});
  }
  return result;
} catch (const Json::exception& error) {
  throw Error(Fault::usage, std::string("the result of a run cannot be read: ") + error.what());
}

}  // namespace railgauge
