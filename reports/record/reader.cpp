// The inverse of reports/record/record.cpp and reports/formats/json_lines.cpp.
#include "reports/record/reader.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "base/error.hpp"
#include "base/output/text.hpp"
#include "reports/power/power_record.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;

constexpr std::size_t longest_cause = 200;  // the parser quotes what it read, which may be the whole line

[[noreturn]] void expected(const char* key, const char* what) {
  throw std::invalid_argument(std::string(key) + " is not " + what);
}

// Null where there was no sample, or a number that was not finite.
double real(const Json& value) { return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>(); }
double number(const Json& record, const char* key) { return real(record.at(key)); }

std::uint64_t whole(const Json& record, const char* key) {
  const Json& value = record.at(key);
  if (!value.is_number_unsigned()) expected(key, "a whole number of at most 64 bits");
  return value.get<std::uint64_t>();
}

int small(const Json& record, const char* key) {
  const std::uint64_t value = whole(record, key);
  if (value > static_cast<std::uint64_t>(std::numeric_limits<int>::max())) expected(key, "a whole number of at most 31 bits");
  return static_cast<int>(value);
}

bool given(const Json& record, const char* key) { return !record.at(key).is_null(); }
// Of keys that the first files lack.
bool there(const Json& record, const char* key) { return record.contains(key) && given(record, key); }

Seconds seconds(const Json& record, const char* key) { return Seconds(number(record, key)); }

Status status_of(std::string_view text) {
  for (const Status status : statuses)
    if (text == name(status)) return status;
  expected("status", "one that results can have");
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
  point.ranks = small(record, "ranks");
  point.nodes = small(record, "nodes");
  point.root = record.at("root").is_null() ? -1 : small(record, "root");
  point.lanes = small(record, "lanes");
  point.in_place = record.at("in_place").get<bool>();
  point.bytes = whole(record, "bytes");
  point.count = whole(record, "count");
  if (there(record, "window")) point.window = whole(record, "window");
  if (there(record, "seed")) point.seed = whole(record, "seed");
  if (there(record, "from")) {
    point.from = small(record, "from");
    point.to = small(record, "to");
    point.from_node = record.at("from_node").get<std::string>();
    point.to_node = record.at("to_node").get<std::string>();
  }
  return point;
}

Summary summary_of(const Json& record) {
  Summary summary;
  summary.samples = whole(record, "samples");
  summary.batch = whole(record, "batch");
  summary.buffers = whole(record, "buffers");
  summary.cache = record.at("cache").get<std::string>();
  summary.effective_samples = number(record, "effective_samples");
  summary.checked = number(record, "checked");
  summary.warm_up = whole(record, "warm_up");
  summary.min = seconds(record, "min");
  summary.median = seconds(record, "median");
  summary.ci_low = seconds(record, "ci_low");
  summary.ci_high = seconds(record, "ci_high");
  summary.p95 = seconds(record, "p95");
  summary.p99 = seconds(record, "p99");
  summary.max = seconds(record, "max");
  summary.algbw = number(record, "algbw");
  summary.busbw = number(record, "busbw");
  summary.wrong = whole(record, "wrong");
  return summary;
}

std::vector<std::uint64_t> counts(const Json& record, const char* key) {
  const Json& list = record.at(key);
  if (!list.is_array()) expected(key, "a list");
  std::vector<std::uint64_t> values;
  for (const Json& value : list) {
    if (!value.is_number_unsigned()) expected(key, "a list of whole numbers");
    values.push_back(value.get<std::uint64_t>());
  }
  return values;
}

std::optional<Expectation> expectation_of(const Json& record) {
  Expectation expectation{number(record, "expected_busbw"), {}};
  if (given(record, "expected_from")) expectation.basis = record.at("expected_from").get<std::string>();
  if (!given(record, "expected_busbw")) return std::nullopt;
  return expectation;
}

// Older files lack it. The verdict follows from it.
std::optional<double> share_of(const Json& record) {
  if (const auto verdict = record.find("verdict"); verdict != record.end() && !verdict->is_null()) {
    const auto word = verdict->get<std::string>();
    if (word != "meets" && word != "below" && word != "unknown") expected("verdict", "one that results can have");
  }
  const auto share = record.find("expected_share");
  if (share == record.end() || share->is_null()) return std::nullopt;
  const auto value = share->get<double>();
  if (!(value > 0 && value <= 1)) expected("expected_share", "a share above 0 and at most 1");
  return value;
}

// Older files lack it.
std::optional<Seconds> prediction_of(const Json& record) {
  const auto predicted = record.find("predicted");
  if (predicted == record.end() || predicted->is_null()) return std::nullopt;
  const Seconds value(predicted->get<double>());
  if (!(value > Seconds(0))) expected("predicted", "a time above 0");
  return value;
}

// Older files lack all of it.
void read_environment(const Json& record, Result& result) {
  if (const auto topology = record.find("topology"); topology != record.end() && !topology->is_null())
    result.topology = topology->get<std::string>();
  if (const auto variables = record.find("environment"); variables != record.end()) {
    if (!variables->is_object()) expected("environment", "an object");
    for (const auto& [name, value] : variables->items()) result.environment.emplace_back(name, value.get<std::string>());
  }
  if (const auto differs = record.find("environment_differs"); differs != record.end()) {
    if (!differs->is_array()) expected("environment_differs", "a list");
    for (const Json& name : *differs) result.environment_differs.push_back(name.get<std::string>());
  }
}

// The first files lack all of it.
std::optional<Arrival> arrival_of(const Json& record) {
  if (!record.contains("skew_samples")) return std::nullopt;
  for (const char* key : {"last_rank", "slowest_rank"})
    if (given(record, key)) (void)small(record, key);  // follows from the counts
  Arrival arrival;
  arrival.samples = whole(record, "skew_samples");
  arrival.skew = seconds(record, "skew");
  arrival.skew_max = seconds(record, "skew_max");
  arrival.clock_error = seconds(record, "clock_error");
  if (given(record, "late_starts")) arrival.late_starts = whole(record, "late_starts");
  arrival.last = counts(record, "last_by_rank");
  arrival.slowest = counts(record, "slowest_by_rank");
  if (arrival.samples == 0) return std::nullopt;
  return arrival;
}

// Older files lack all of it.
std::optional<Wire> wire_of(const Json& record) {
  for (const char* key : {"wire_asked", "wire_sent", "wire_errors"})
    if (record.contains(key) && given(record, key)) (void)whole(record, key);
  if (record.contains("remark")) (void)record.at("remark").get<std::string>();  // as the sums, it follows from the ports
  const auto list = record.find("wire_ports");
  if (list == record.end()) return std::nullopt;
  Wire wire;
  wire.asked = whole(record, "wire_asked");
  if (!list->is_array()) expected("wire_ports", "a list");
  for (const Json& one : *list) {
    PortTraffic& port = wire.ports.emplace_back();
    port.node = one.at("node").get<std::string>();
    port.port = one.at("port").get<std::string>();
    port.planned = one.at("planned").get<bool>();
    if (given(one, "sent")) port.sent = whole(one, "sent");
    if (given(one, "received")) port.received = whole(one, "received");
    if (!one.at("errors").is_object()) expected("errors", "an object");
    for (const auto& [name, count] : one.at("errors").items()) {
      if (!count.is_number_unsigned()) expected("errors", "counts");
      port.errors[name] = count.get<std::uint64_t>();
    }
  }
  return wire;
}

// Older files lack all of it.
std::optional<LibraryChoice> library_of(const Json& record) {
  LibraryChoice library;
  if (there(record, "library_algorithm")) library.algorithm = record.at("library_algorithm").get<std::string>();
  if (there(record, "library_protocol")) library.protocol = record.at("library_protocol").get<std::string>();
  if (there(record, "library_channels")) library.channels = small(record, "library_channels");
  if (there(record, "library_predicted")) library.predicted = seconds(record, "library_predicted");
  const bool any =
      !library.algorithm.empty() || !library.protocol.empty() || library.channels != 0 || library.predicted.count() > 0;
  return any ? std::optional(std::move(library)) : std::nullopt;
}

std::optional<KernelUse> kernel_of(const Json& record) {
  KernelUse kernel;
  if (there(record, "protocol")) kernel.protocol = record.at("protocol").get<std::string>();
  if (!there(record, "multiprocessors")) return std::nullopt;
  kernel.multiprocessors = small(record, "multiprocessors");
  if (there(record, "launch")) kernel.launch = seconds(record, "launch");
  return kernel;
}

std::optional<Power> power_in(const Json& record) {
  // These follow from the sources.
  for (const char* key : {"joules", "joules_per_gigabyte"})
    if (record.contains(key) && !record.at(key).is_null() && !record.at(key).is_number()) expected(key, "a number");
  if (record.contains("throttled") && given(record, "throttled")) (void)record.at("throttled").get<bool>();
  if (record.contains("power_absent")) (void)record.at("power_absent").get<std::string>();
  const auto power = record.find("power");
  return power == record.end() ? std::nullopt : std::optional(power_of(*power));
}

PairFinding::Outcome outcome_of(std::string_view text) {
  using enum PairFinding::Outcome;
  for (const PairFinding::Outcome outcome : {slow, cleared, inconclusive})
    if (text == name(outcome)) return outcome;
  expected("outcome", "one that findings can have");
}

// Only the last result of a matrix has them; older files lack them.
std::optional<std::vector<PairFinding>> findings_of(const Json& record) {
  const auto list = record.find("findings");
  if (list == record.end()) return std::nullopt;
  if (!list->is_array()) expected("findings", "a list");
  std::vector<PairFinding> findings;
  for (const Json& one : *list) {
    PairFinding& finding = findings.emplace_back();
    if (given(one, "from")) finding.from = small(one, "from");
    if (given(one, "to")) finding.to = small(one, "to");
    finding.outcome = outcome_of(one.at("outcome").get<std::string>());
    finding.ratio = number(one, "ratio");
    finding.comparisons = whole(one, "comparisons");
    finding.slower = whole(one, "slower");
  }
  return findings;
}

}  // namespace

Result read_result(std::string_view line, const std::string& where) {
  try {
    const Json record = Json::parse(line);
    if (record.at("schema").get<std::string>() != "railgauge.result/1")
      throw std::invalid_argument("its schema is not railgauge.result/1");
    Result result;
    result.run = record.at("run").get<std::string>();
    result.status = status_of(record.at("status").get<std::string>());
    result.reason = record.at("reason").get<std::string>();
    result.point = case_of(record);
    result.summary = summary_of(record);
    if (record.contains("expected_busbw")) result.expected = expectation_of(record);  // older files lack it
    result.expected_share = share_of(record);
    result.predicted = prediction_of(record);
    if (result.status == Status::predicted && !result.predicted) expected("predicted", "a time, and the status is predicted");
    result.host = {record.at("host").get<std::string>(), record.at("cpu").get<std::string>(),
                   record.at("kernel").get<std::string>()};
    if (!record.at("versions").is_object()) expected("versions", "an object");
    for (const auto& [library, version] : record.at("versions").items())
      result.versions.emplace_back(library, version.get<std::string>());
    if (const auto settings = record.find("settings"); settings != record.end()) {  // older files lack it
      if (!settings->is_object()) expected("settings", "an object");
      for (const auto& [name, value] : settings->items()) result.settings.emplace_back(name, value.get<std::string>());
    }
    read_environment(record, result);
    result.arrival = arrival_of(record);
    result.wire = wire_of(record);
    result.library = library_of(record);
    result.kernel = kernel_of(record);
    result.power = power_in(record);
    result.findings = findings_of(record);
    if (!record.at("times").is_array()) expected("times", "a list");
    for (const Json& time : record.at("times")) result.samples.emplace_back(real(time));
    if (const auto host_times = record.find("host_times"); host_times != record.end()) {
      if (!host_times->is_array()) expected("host_times", "a list");
      for (const Json& time : *host_times) result.host_samples.emplace_back(real(time));
    }
    if (const auto by_rank = record.find("by_rank"); by_rank != record.end()) {
      if (!by_rank->is_array()) expected("by_rank", "a list of lists");
      for (const Json& times : *by_rank) {
        if (!times.is_array()) expected("by_rank", "a list of lists");
        auto& seconds = result.by_rank.emplace_back();
        for (const Json& time : times) seconds.emplace_back(real(time));
      }
    }
    return result;
  } catch (const Json::parse_error& error) {
    throw Error(Fault::usage, where + ": expected a result line (docs/result.schema.json), and it is no JSON from byte " +
                                  std::to_string(error.byte) + " on");
  } catch (const Json::exception& error) {
    const std::string_view cause = error.what();  // "[json.exception.type_error.302] type must be ..."
    throw Error(Fault::usage, where + ": expected a result line (docs/result.schema.json): " +
                                  printable(cause.substr(cause.find("] ") + 2).substr(0, longest_cause)));
  } catch (const std::invalid_argument& error) {
    throw Error(Fault::usage, where + ": expected a result line (docs/result.schema.json): " + error.what());
  }
}

void each_result(std::istream& file, const std::string& path, const std::function<void(const Result&)>& take) {
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    if (!line.empty()) take(read_result(line, path + ":" + std::to_string(number)));
  }
  if (file.bad()) throw Error(Fault::usage, path + " cannot be read");
}

std::vector<Result> read_results(std::string_view text, const std::string& path) {
  std::vector<Result> results;
  std::istringstream file{std::string(text)};
  each_result(file, path, [&](const Result& result) { results.push_back(result); });
  return results;
}

}  // namespace railgauge
