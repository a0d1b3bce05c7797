// The inverse of reports/record.cpp and reports/json_lines.cpp.
#include "reports/reader.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

constexpr std::array statuses{Status::ok, Status::not_converged, Status::skipped, Status::wrong, Status::failed};

// Null where there was no sample, or a number that was not finite.
double number(const Json& record, const char* key) {
  const Json& value = record.at(key);
  return value.is_null() ? 0.0 : value.get<double>();
}

Seconds seconds(const Json& record, const char* key) { return Seconds(number(record, key)); }

Status status_of(const std::string& text) {
  for (const Status status : statuses)
    if (text == name(status)) return status;
  throw std::invalid_argument("no status is called " + text);
}

Case case_of(const Json& record) {
  Case point;
  point.collective = record.at("collective").get<std::string>();
  point.algorithm = record.at("algorithm").get<std::string>();
  point.transport = record.at("transport").get<std::string>();
  point.device = record.at("device").get<std::string>();
  point.type = record.at("type").get<std::string>();
  point.op = record.at("op").get<std::string>();
  point.mode = record.at("mode").get<std::string>();
  point.path = record.at("path").get<std::string>();
  point.ranks = record.at("ranks").get<int>();
  point.nodes = record.at("nodes").get<int>();
  point.root = record.at("root").is_null() ? -1 : record.at("root").get<int>();
  point.lanes = record.at("lanes").get<int>();
  point.in_place = record.at("in_place").get<bool>();
  point.bytes = record.at("bytes").get<std::uint64_t>();
  point.count = record.at("count").get<std::uint64_t>();
  return point;
}

Summary summary_of(const Json& record) {
  Summary summary;
  summary.samples = record.at("samples").get<std::uint64_t>();
  summary.batch = record.at("batch").get<std::uint64_t>();
  summary.buffers = record.at("buffers").get<std::uint64_t>();
  summary.cache = record.at("cache").get<std::string>();
  summary.effective_samples = number(record, "effective_samples");
  summary.checked = number(record, "checked");
  summary.warm_up = record.at("warm_up").get<std::uint64_t>();
  summary.min = seconds(record, "min");
  summary.median = seconds(record, "median");
  summary.ci_low = seconds(record, "ci_low");
  summary.ci_high = seconds(record, "ci_high");
  summary.p95 = seconds(record, "p95");
  summary.p99 = seconds(record, "p99");
  summary.max = seconds(record, "max");
  summary.algbw = number(record, "algbw");
  summary.busbw = number(record, "busbw");
  summary.wrong = record.at("wrong").get<std::uint64_t>();
  return summary;
}

}  // namespace

Result read_result(std::string_view line, const std::string& where) {
  try {
    const Json record = Json::parse(line);
    if (const auto schema = record.at("schema").get<std::string>(); schema != "railgauge.result/1")
      throw Error(Fault::usage, where + ": expected a line of schema railgauge.result/1, found " + schema);
    Result result;
    result.run = record.at("run").get<std::string>();
    result.status = status_of(record.at("status").get<std::string>());
    result.reason = record.at("reason").get<std::string>();
    result.point = case_of(record);
    result.summary = summary_of(record);
    result.host = {record.at("host").get<std::string>(), record.at("cpu").get<std::string>(),
                   record.at("kernel").get<std::string>()};
    for (const auto& [library, version] : record.at("versions").items())
      result.versions.emplace_back(library, version.get<std::string>());
    for (const Json& time : record.at("times"))
      result.samples.emplace_back(time.is_null() ? std::numeric_limits<double>::quiet_NaN() : time.get<double>());
    return result;
  } catch (const Json::exception& error) {
    throw Error(Fault::usage, where + ": expected a result line (docs/result.schema.json): " + error.what());
  } catch (const std::invalid_argument& error) {
    throw Error(Fault::usage, where + ": expected a result line (docs/result.schema.json): " + error.what());
  }
}

}  // namespace railgauge
