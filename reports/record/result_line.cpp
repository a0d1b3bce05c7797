// A result as a line of JSON Lines.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/output/text.hpp"
#include "reports/power/power_record.hpp"
#include "reports/record/record.hpp"

namespace railgauge {
namespace {

constexpr std::size_t most_times = 100'000;

}  // namespace

std::string result_line(const Result& result) {
  nlohmann::ordered_json record = flat_record(result);
  auto versions = nlohmann::ordered_json::object();
  for (const auto& [library, version] : result.versions) versions[printable(library)] = printable(version);
  record["versions"] = std::move(versions);
  auto settings = nlohmann::ordered_json::object();
  for (const auto& [setting, value] : result.settings) settings[printable(setting)] = printable(value);
  record["settings"] = std::move(settings);
  auto environment = nlohmann::ordered_json::object();
  for (const auto& [variable, value] : result.environment) environment[printable(variable)] = printable(value);
  record["environment"] = std::move(environment);
  auto differs = nlohmann::ordered_json::array();
  for (const std::string& variable : result.environment_differs) differs.push_back(printable(variable));
  record["environment_differs"] = std::move(differs);

  if (result.wire) {
    auto ports = nlohmann::ordered_json::array();
    for (const PortTraffic& port : result.wire->ports) {
      nlohmann::ordered_json one;
      one["node"] = printable(port.node);
      one["port"] = printable(port.port);
      one["planned"] = port.planned;
      one["sent"] = port.sent ? nlohmann::ordered_json(*port.sent) : nlohmann::ordered_json(nullptr);
      one["received"] = port.received ? nlohmann::ordered_json(*port.received) : nlohmann::ordered_json(nullptr);
      one["errors"] = nlohmann::ordered_json::object();
      for (const auto& [name, count] : port.errors) one["errors"][printable(name)] = count;
      ports.push_back(std::move(one));
    }
    record["wire_ports"] = std::move(ports);
  }

  if (result.findings) {
    auto& findings = record["findings"] = nlohmann::ordered_json::array();
    for (const PairFinding& finding : *result.findings) {
      nlohmann::ordered_json one;
      one["from"] = finding.from < 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(finding.from);
      one["to"] = finding.to < 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(finding.to);
      one["outcome"] = name(finding.outcome);
      one["ratio"] = finding.ratio;
      one["comparisons"] = finding.comparisons;
      one["slower"] = finding.slower;
      findings.push_back(std::move(one));
    }
  }

  if (result.power) record["power"] = power_record(*result.power);

  // A result that was read back may hold every k-th sample only.
  const std::size_t held = std::max<std::size_t>(1, result.samples.size());
  const std::uint64_t held_step =
      std::max<std::uint64_t>(1, result.summary.samples / held + (result.summary.samples % held != 0));
  const std::size_t step = (held + most_times - 1) / most_times;
  auto times = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < result.samples.size(); i += step) {
    const double time = result.samples[i].count();
    times.push_back(std::isfinite(time) ? nlohmann::ordered_json(time) : nlohmann::ordered_json(nullptr));
  }
  const Arrival arrival = result.arrival.value_or(Arrival{});
  record["skew_samples"] = arrival.samples;
  record["last_by_rank"] = arrival.last;
  record["slowest_by_rank"] = arrival.slowest;
  record["times_step"] = held_step * step;
  record["times"] = std::move(times);
  if (!result.host_samples.empty()) {
    auto& host_times = record["host_times"] = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < result.host_samples.size(); i += step) host_times.push_back(result.host_samples[i].count());
  }
  if (!result.by_rank.empty()) {
    auto ranks = nlohmann::ordered_json::array();
    for (const std::vector<Seconds>& seconds : result.by_rank) {
      auto mine = nlohmann::ordered_json::array();
      for (const Seconds time : seconds) mine.push_back(time.count());
      ranks.push_back(std::move(mine));
    }
    record["by_rank"] = std::move(ranks);
  }
  return record.dump() + "\n";
}

}  // namespace railgauge
