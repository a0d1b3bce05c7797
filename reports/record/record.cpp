// The keys behind reports/record/record.hpp.
#include "reports/record/record.hpp"

#include <algorithm>
#include <cmath>

#include "base/output/text.hpp"
#include "reports/power/power.hpp"
#include "reports/power/wire.hpp"
#include "reports/record/remark.hpp"
#include "reports/record/standing.hpp"

namespace railgauge {

namespace {

nlohmann::ordered_json most_often(const std::vector<std::uint64_t>& counts) {
  const auto most = std::max_element(counts.begin(), counts.end());
  if (most == counts.end() || *most == 0) return nullptr;
  return most - counts.begin();
}

}  // namespace

nlohmann::ordered_json case_record(const Case& point) {
  using Json = nlohmann::ordered_json;
  Json record;
  record["collective"] = printable(point.collective);
  record["algorithm"] = printable(point.algorithm);
  record["transport"] = printable(point.transport);
  record["device"] = printable(point.device);
  record["type"] = printable(point.type);
  record["op"] = printable(point.op);
  record["mode"] = printable(point.mode);
  record["path"] = printable(point.path);
  record["ranks"] = point.ranks;
  record["nodes"] = point.nodes;
  record["root"] = point.root < 0 ? Json(nullptr) : Json(point.root);
  record["lanes"] = point.lanes;
  record["in_place"] = point.in_place;
  record["bytes"] = point.bytes;
  record["count"] = point.count;
  record["window"] = point.window == 0 ? Json(nullptr) : Json(point.window);
  record["seed"] = point.seed ? Json(*point.seed) : Json(nullptr);
  const bool pair = point.from >= 0;
  record["from"] = pair ? Json(point.from) : Json(nullptr);
  record["to"] = pair ? Json(point.to) : Json(nullptr);
  record["from_node"] = pair ? Json(printable(point.from_node)) : Json(nullptr);
  record["to_node"] = pair ? Json(printable(point.to_node)) : Json(nullptr);
  return record;
}

nlohmann::ordered_json flat_record(const Result& result) {
  using Json = nlohmann::ordered_json;
  const Case& point = result.point;
  const Summary& summary = result.summary;
  const bool measured = summary.samples != 0;
  const auto number = [](double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); };
  const auto sampled = [&](double value) { return measured ? number(value) : Json(nullptr); };

  Json record;
  record["schema"] = "railgauge.result/1";
  record["run"] = printable(result.run);
  record["status"] = name(result.status);
  record["reason"] = printable(result.reason);
  record.update(case_record(point));
  record["samples"] = summary.samples;
  record["batch"] = summary.batch;
  record["buffers"] = summary.buffers;
  record["cache"] = printable(summary.cache);
  record["effective_samples"] = sampled(summary.effective_samples);
  record["checked"] = sampled(summary.checked);
  record["warm_up"] = summary.warm_up;
  record["min"] = sampled(summary.min.count());
  record["median"] = sampled(summary.median.count());
  record["ci_low"] = sampled(summary.ci_low.count());
  record["ci_high"] = sampled(summary.ci_high.count());
  record["p95"] = sampled(summary.p95.count());
  record["p99"] = sampled(summary.p99.count());
  record["max"] = sampled(summary.max.count());
  record["algbw"] = has_bandwidth(result) ? number(summary.algbw) : Json(nullptr);
  record["busbw"] = has_bandwidth(result) ? number(summary.busbw) : Json(nullptr);
  record["expected_busbw"] = result.expected ? number(result.expected->busbw) : Json(nullptr);
  record["expected_from"] = result.expected ? Json(printable(result.expected->basis)) : Json(nullptr);
  const std::optional<Standing> standing = standing_of(result);
  record["expected_share"] = result.expected_share ? number(*result.expected_share) : Json(nullptr);
  record["verdict"] = standing ? Json(name(*standing)) : Json(nullptr);
  record["predicted"] = result.predicted ? number(result.predicted->count()) : Json(nullptr);
  record["wrong"] = summary.wrong;
  const std::optional<Arrival>& arrival = result.arrival;
  const auto skewed = [&](Seconds Arrival::* member) { return arrival ? number(((*arrival).*member).count()) : Json(nullptr); };
  record["skew"] = skewed(&Arrival::skew);
  record["skew_max"] = skewed(&Arrival::skew_max);
  record["clock_error"] = skewed(&Arrival::clock_error);
  record["late_starts"] = arrival && point.mode == "window" ? Json(arrival->late_starts) : Json(nullptr);
  record["last_rank"] = arrival ? most_often(arrival->last) : Json(nullptr);
  record["slowest_rank"] = arrival ? most_often(arrival->slowest) : Json(nullptr);
  const std::optional<Wire>& wire = result.wire;
  record["wire_asked"] = wire ? Json(wire->asked) : Json(nullptr);
  record["wire_sent"] = wire && bytes_sent(*wire) ? Json(*bytes_sent(*wire)) : Json(nullptr);
  record["wire_errors"] = wire ? Json(errors_counted(*wire)) : Json(nullptr);
  const std::optional<Power>& power = result.power;
  const auto counted = [&](const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); };
  const std::optional<bool> held = power ? throttled(*power) : std::nullopt;
  record["joules"] = power ? counted(joules_of(*power)) : Json(nullptr);
  record["joules_per_gigabyte"] = power ? counted(joules_per_gigabyte(*power)) : Json(nullptr);
  record["throttled"] = held ? Json(*held) : Json(nullptr);
  record["power_absent"] = power ? absences_of(*power) : std::string();
  record["remark"] = remark_of(result);
  const std::optional<LibraryChoice>& library = result.library;
  const auto told = [](const std::string& words) { return words.empty() ? Json(nullptr) : Json(printable(words)); };
  record["library_algorithm"] = library ? told(library->algorithm) : Json(nullptr);
  record["library_protocol"] = library ? told(library->protocol) : Json(nullptr);
  record["library_channels"] = library && library->channels != 0 ? Json(library->channels) : Json(nullptr);
  record["library_predicted"] = library && library->predicted.count() > 0 ? number(library->predicted.count()) : Json(nullptr);
  record["protocol"] = result.kernel ? told(result.kernel->protocol) : Json(nullptr);
  record["multiprocessors"] = result.kernel ? Json(result.kernel->multiprocessors) : Json(nullptr);
  record["launch"] = result.kernel && result.kernel->launch.count() > 0 ? number(result.kernel->launch.count()) : Json(nullptr);
  record["host"] = printable(result.host.name);
  record["cpu"] = printable(result.host.cpu);
  record["kernel"] = printable(result.host.kernel);
  record["topology"] = told(result.topology);
  return record;
}

}  // namespace railgauge
