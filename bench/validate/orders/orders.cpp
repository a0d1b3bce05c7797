// Names of the fields, and words of the enumerations.
#include "bench/validate/orders/orders.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace railgauge::validate {
namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 5> part_words{"host", "gpu", "pcie", "nvlink", "nic"};
constexpr std::array statuses{Status::ok, Status::not_converged, Status::skipped, Status::wrong, Status::failed};
constexpr const char* only_counters = "counters";

Seconds seconds_in(const json& object, const char* name) { return Seconds(object.at(name).get<double>()); }

template <class Value>
void read_if_there(const json& object, const char* name, std::optional<Value>& value) {
  if (const auto found = object.find(name); found != object.end()) value = found->template get<Value>();
}
void read_watchdog(const json& object, std::optional<Seconds>& value) {
  if (object.contains("watchdog")) value = seconds_in(object, "watchdog");
}

OwnPart part_of(const std::string& word) {
  const auto* const found = std::find(part_words.begin(), part_words.end(), word);
  if (found == part_words.end()) throw json::other_error::create(501, "no part of a host is called " + word, nullptr);
  return static_cast<OwnPart>(found - part_words.begin());
}
Status status_of(const std::string& word) {
  const auto* const found = std::find_if(statuses.begin(), statuses.end(), [&](Status each) { return word == name(each); });
  if (found == statuses.end()) throw json::other_error::create(501, "no status is called " + word, nullptr);
  return *found;
}

json written(const MeasureTask::Part& part) {
  json object{{"what", part.what}, {"bytes", part.bytes}, {"back", part.back}};
  if (part.seed) object["seed"] = *part.seed;
  if (part.window) object["window"] = *part.window;
  return object;
}
MeasureTask::Part part_in(const json& object) {
  MeasureTask::Part part{
      object.at("what").get<std::string>(), object.at("bytes").get<std::string>(), {}, {}, object.value("back", false)};
  read_if_there(object, "seed", part.seed);
  read_if_there(object, "window", part.window);
  return part;
}

json written(const MeasuredPart& part) {
  json stretches = json::array();
  for (const Seconds stretch : part.stretches) stretches.push_back(stretch.count());
  json object{{"what", part.what},           {"back", part.back},           {"bytes", part.bytes},
              {"status", name(part.status)}, {"reason", part.reason},       {"seconds", part.median.count()},
              {"busbw", part.busbw},         {"least", part.least.count()}, {"p95", part.p95.count()},
              {"most", part.most.count()},   {"samples", part.samples},     {"stretches", std::move(stretches)}};
  if (!part.ceiling) return object;
  object["ceiling"] = *part.ceiling;
  object["basis"] = part.basis;
  return object;
}
MeasuredPart measured_in(const json& object) {
  MeasuredPart part;
  part.what = object.at("what").get<std::string>();
  part.back = object.at("back").get<bool>();
  part.bytes = object.at("bytes").get<std::uint64_t>();
  part.status = status_of(object.at("status").get<std::string>());
  part.reason = object.at("reason").get<std::string>();
  part.median = seconds_in(object, "seconds");
  part.least = seconds_in(object, "least");
  part.p95 = seconds_in(object, "p95");
  part.most = seconds_in(object, "most");
  part.busbw = object.at("busbw").get<double>();
  part.samples = object.at("samples").get<std::uint64_t>();
  for (const json& stretch : object.at("stretches")) part.stretches.emplace_back(stretch.get<double>());
  read_if_there(object, "ceiling", part.ceiling);
  part.basis = object.value("basis", std::string());
  return part;
}

}  // namespace

void to_json(json& object, const MeasureTask& task) {
  json parts = json::array();
  for (const MeasureTask::Part& part : task.parts) parts.push_back(written(part));
  object = {{"parts", std::move(parts)}, {"seconds", task.seconds.count()}};
  if (task.watchdog) object["watchdog"] = task.watchdog->count();
  if (!task.transport.empty()) object["transport"] = task.transport;
  if (task.expect) object["expect"] = true;
}
void from_json(const json& object, MeasureTask& task) {
  for (const json& part : object.at("parts")) task.parts.push_back(part_in(part));
  task.seconds = seconds_in(object, "seconds");
  read_watchdog(object, task.watchdog);
  task.transport = object.value("transport", std::string());
  task.expect = object.value("expect", false);
}

void to_json(json& object, const Measured& measured) {
  json results = json::array();
  for (const MeasuredPart& part : measured.results) results.push_back(written(part));
  object = {{"results", std::move(results)}};
}
void from_json(const json& object, Measured& measured) {
  for (const json& part : object.at("results")) measured.results.push_back(measured_in(part));
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

void to_json(json& object, const OwnFigures& own) {
  json figures = json::array(), unread = json::array();
  for (const OwnFigure& figure : own.figures)
    figures.push_back({{"what", figure.what},
                       {"part", part_words[static_cast<std::size_t>(figure.part)]},
                       {"of", figure.of},
                       {"unit", "GB/s"},
                       {"value", figure.gigabytes_per_second}});
  for (const OwnFigures::Unread& each : own.unread) unread.push_back({{"what", each.what}, {"reason", each.reason}});
  object = {{"figures", std::move(figures)}, {"unread", std::move(unread)}};
}
void from_json(const json& object, OwnFigures& own) {
  for (const json& figure : object.at("figures"))
    own.figures.push_back({figure.at("what").get<std::string>(), part_of(figure.at("part").get<std::string>()),
                           figure.at("value").get<double>(), figure.at("of").get<std::string>()});
  for (const json& each : object.at("unread"))
    own.unread.push_back({each.at("what").get<std::string>(), each.at("reason").get<std::string>()});
}

}  // namespace railgauge::validate
