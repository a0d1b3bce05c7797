// Names of the fields, and words of the enumerations.
#include "bench/validate/orders/orders.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace railgauge::validate {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 5> component_words{"host", "gpu", "pcie", "nvlink", "nic"};
constexpr const char* only_counters = "counters";

Seconds seconds_in(const json& object, const char* name) { return Seconds(object.at(name).get<double>()); }

template <class Value>
void read_if_there(const json& object, const char* name, std::optional<Value>& value) {
  if (const auto found = object.find(name); found != object.end()) value = found->template get<Value>();
}
void read_watchdog(const json& object, std::optional<Seconds>& value) {
  if (object.contains("watchdog")) value = seconds_in(object, "watchdog");
}

HostComponent component_of(const std::string& word) {
  const auto* const found = std::find(component_words.begin(), component_words.end(), word);
  if (found == component_words.end()) throw json::other_error::create(501, "no part of a host is called " + word, nullptr);
  return static_cast<HostComponent>(found - component_words.begin());
}
Status status_of(const std::string& word) {
  const auto* const found = std::find_if(statuses.begin(), statuses.end(), [&](Status each) { return word == name(each); });
  if (found == statuses.end()) throw json::other_error::create(501, "no status is called " + word, nullptr);
  return *found;
}

json written(const MeasureTask::PointSpec& point) {
  json object{{"what", point.what}, {"bytes", point.bytes}, {"back", point.back}};
  if (point.seed) object["seed"] = *point.seed;
  if (point.window) object["window"] = *point.window;
  return object;
}
MeasureTask::PointSpec point_in(const json& object) {
  MeasureTask::PointSpec point{
      object.at("what").get<std::string>(), object.at("bytes").get<std::string>(), {}, {}, object.value("back", false)};
  read_if_there(object, "seed", point.seed);
  read_if_there(object, "window", point.window);
  return point;
}

json written(const MeasuredPoint& point) {
  json stretches = json::array();
  for (const Seconds stretch : point.stretches) stretches.push_back(stretch.count());
  json object{{"what", point.what},           {"back", point.back},
              {"bytes", point.bytes},         {"status", name(point.status)},
              {"reason", point.reason},       {"seconds", point.median.count()},
              {"busbw", point.busbw},         {"least", point.least.count()},
              {"p95", point.p95.count()},     {"p99", point.p99.count()},
              {"begun", point.begun.count()}, {"most", point.most.count()},
              {"samples", point.samples},     {"stretches", std::move(stretches)}};
  if (!point.ceiling) return object;
  object["ceiling"] = *point.ceiling;
  object["basis"] = point.basis;
  return object;
}
MeasuredPoint measured_in(const json& object) {
  MeasuredPoint point;
  point.what = object.at("what").get<std::string>();
  point.back = object.at("back").get<bool>();
  point.bytes = object.at("bytes").get<std::uint64_t>();
  point.status = status_of(object.at("status").get<std::string>());
  point.reason = object.at("reason").get<std::string>();
  point.median = seconds_in(object, "seconds");
  point.least = seconds_in(object, "least");
  point.p95 = seconds_in(object, "p95");
  point.p99 = seconds_in(object, "p99");
  point.most = seconds_in(object, "most");
  point.begun = seconds_in(object, "begun");
  point.busbw = object.at("busbw").get<double>();
  point.samples = object.at("samples").get<std::uint64_t>();
  for (const json& stretch : object.at("stretches")) point.stretches.emplace_back(stretch.get<double>());
  read_if_there(object, "ceiling", point.ceiling);
  point.basis = object.value("basis", std::string());
  return point;
}

}  // namespace

void to_json(json& object, const MeasureTask& task) {
  json points = json::array();
  for (const MeasureTask::PointSpec& point : task.points) points.push_back(written(point));
  object = {{"parts", std::move(points)}, {"seconds", task.seconds.count()}};
  if (task.watchdog) object["watchdog"] = task.watchdog->count();
  if (!task.transport.empty()) object["transport"] = task.transport;
  if (task.expect) object["expect"] = true;
  if (task.packets) object["packets"] = true;
}
void from_json(const json& object, MeasureTask& task) {
  for (const json& point : object.at("parts")) task.points.push_back(point_in(point));
  task.seconds = seconds_in(object, "seconds");
  read_watchdog(object, task.watchdog);
  task.transport = object.value("transport", std::string());
  task.expect = object.value("expect", false);
  task.packets = object.value("packets", false);
}

void to_json(json& object, const Measured& measured) {
  json results = json::array();
  for (const MeasuredPoint& point : measured.results) results.push_back(written(point));
  object = {{"results", std::move(results)}};
  for (const std::vector<PacketCount>& point : measured.packets) {
    json counts = json::array();
    for (const PacketCount& each : point) counts.push_back({{"by", each.by}, {"sent", each.sent}, {"resent", each.resent}});
    object["packets"].push_back(std::move(counts));
  }
}
void from_json(const json& object, Measured& measured) {
  for (const json& point : object.at("results")) measured.results.push_back(measured_in(point));
  if (!object.contains("packets")) return;
  for (const json& point : object.at("packets")) {
    measured.packets.emplace_back();
    for (const json& each : point)
      measured.packets.back().push_back(
          {each.at("by").get<std::string>(), each.at("sent").get<std::uint64_t>(), each.at("resent").get<std::uint64_t>()});
  }
}
bool has_results(const json& figures) { return figures.is_object() && figures.contains("results"); }

void to_json(json& object, const FactsTask& task) { object = {{"extent", task.counters_only ? only_counters : "all"}}; }
void from_json(const json& object, FactsTask& task) {
  task.counters_only = object.value("extent", std::string()) == only_counters;
}
void to_json(json& object, const Facts& facts) { object = {{"facts", facts.facts}}; }
void from_json(const json& object, Facts& facts) { facts.facts = object.at("facts").get<std::string>(); }

void to_json(json& object, const ThresholdsTask& task) { object = {{"least", task.least}}; }
void from_json(const json& object, ThresholdsTask& task) { object.at("least").get_to(task.least); }

void to_json(json& object, const NodeTask& task) {
  object = {{"seconds", task.seconds.count()}, {"rank_of_host", task.rank_of_host}};
}
void from_json(const json& object, NodeTask& task) {
  task.seconds = seconds_in(object, "seconds");
  task.rank_of_host = object.at("rank_of_host").get<int>();
}
void to_json(json& object, const CopiesTask& task) { object = {{"seconds", task.seconds.count()}}; }
void from_json(const json& object, CopiesTask& task) { task.seconds = seconds_in(object, "seconds"); }
void to_json(json& object, const LoopbackTask& task) {
  object = {{"ports", task.ports}, {"bytes", task.bytes}, {"seconds", task.seconds.count()}};
  if (task.watchdog) object["watchdog"] = task.watchdog->count();
}
void from_json(const json& object, LoopbackTask& task) {
  object.at("ports").get_to(task.ports);
  task.bytes = object.at("bytes").get<std::string>();
  task.seconds = seconds_in(object, "seconds");
  read_watchdog(object, task.watchdog);
}

void to_json(json& object, const StepTask& task) {
  object = {{"model", task.model}, {"scale", task.scale}, {"seconds", task.seconds.count()}};
  if (task.watchdog) object["watchdog"] = task.watchdog->count();
}
void from_json(const json& object, StepTask& task) {
  task.model = object.at("model").get<std::string>();
  task.scale = object.at("scale").get<double>();
  task.seconds = seconds_in(object, "seconds");
  read_watchdog(object, task.watchdog);
}

void to_json(json& object, const StepTimes& times) {
  object = {{"steps", times.steps}, {"step", times.step.count()}, {"exposed", times.exposed.count()}};
}
void from_json(const json& object, StepTimes& times) {
  times.steps = object.at("steps").get<std::uint64_t>();
  times.step = seconds_in(object, "step");
  times.exposed = seconds_in(object, "exposed");
}

void to_json(json& object, const OwnFigures& own) {
  json figures = json::array(), unread = json::array();
  for (const OwnFigure& figure : own.figures)
    figures.push_back({{"what", figure.what},
                       {"part", component_words[static_cast<std::size_t>(figure.component)]},
                       {"of", figure.of},
                       {"unit", "GB/s"},
                       {"value", figure.gigabytes_per_second}});
  for (const OwnFigures::Unread& each : own.unread) unread.push_back({{"what", each.what}, {"reason", each.reason}});
  object = {{"figures", std::move(figures)}, {"unread", std::move(unread)}};
}
void from_json(const json& object, OwnFigures& own) {
  for (const json& figure : object.at("figures"))
    own.figures.push_back({figure.at("what").get<std::string>(), component_of(figure.at("part").get<std::string>()),
                           figure.at("value").get<double>(), figure.at("of").get<std::string>()});
  for (const json& each : object.at("unread"))
    own.unread.push_back({each.at("what").get<std::string>(), each.at("reason").get<std::string>()});
}

}  // namespace railgauge::validate
