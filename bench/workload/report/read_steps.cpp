// Reads them line by line, and event by event; bench/workload/report/read_steps.hpp.
#include "bench/workload/report/read_steps.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "bench/workload/report/records.hpp"

namespace railgauge {
namespace {

using Json = nlohmann::json;
constexpr std::uintmax_t most_bytes = 1U << 30U;

[[noreturn]] void refuse_timeline(const std::string& path, const std::string& what) {
  throw Error(Fault::usage,
              fmt::format("{}: {}: expected the timeline of this workload on as many ranks, as workload -o NAME.json "
                          "writes it",
                          path, what));
}

}  // namespace

std::vector<StepRecord> read_step_records(std::string_view text, const std::string& path) {
  std::istringstream lines{std::string(text)};
  std::vector<StepRecord> steps;
  for (std::string line; std::getline(lines, line);) {
    const Json json = Json::parse(line, nullptr, false);
    if (json.is_discarded())
      throw Error(Fault::usage,
                  fmt::format("{}: line {} is no JSON: expected records of steps, as workload -o NAME.jsonl writes them", path,
                              steps.size() + 1));
    if (json.is_object() && json.value("predicted", Json(false)) == Json(true))
      throw Error(Fault::usage, path + ": has predicted steps: expected those of a run");
    try {
      const StepRecord step = step_of(json);
      for (const auto& [name, value] : json.items())
        if (value.is_number() && value.get<double>() < 0) throw Error(Fault::usage, name + " is less than 0");
      steps.push_back(step);
    } catch (const Error& error) {
      throw Error(Fault::usage, fmt::format("{}: line {}: {}", path, steps.size() + 1, error.what()));
    }
  }
  if (steps.empty()) throw Error(Fault::usage, path + ": has no steps");
  return steps;
}

// Events of a rank are in the order of its list, markers left out; those begin when the node before them in the list has ended.
Timeline read_timeline(const Workload& workload, std::string_view text, const std::string& path) {
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object() || !json.contains("traceEvents") || !json["traceEvents"].is_array()) refuse_timeline(path, "is no trace");
  Timeline timeline;
  std::vector<std::size_t> next(workload.nodes.size(), 0);
  for (const std::vector<WorkNode>& list : workload.nodes) timeline.emplace_back(list.size());
  const auto skip_markers = [&](std::size_t rank) {
    const std::vector<WorkNode>& list = workload.nodes[rank];
    while (next[rank] < list.size() && list[next[rank]].work == WorkKind::marker) {
      double end = 0;
      for (const std::uint32_t before : list[next[rank]].after) end = std::max(end, timeline[rank][before].end);
      timeline[rank][next[rank]++] = {end, end};
    }
  };
  try {
    for (const Json& event : json["traceEvents"]) {
      if (event.at("ph") != "X") continue;
      const auto rank = event.at("pid").get<std::size_t>();
      if (rank >= timeline.size()) refuse_timeline(path, fmt::format("has rank {}", rank));
      skip_markers(rank);
      const std::size_t node = next[rank];
      if (node == timeline[rank].size() || event.at("name") != workload.nodes[rank][node].name)
        refuse_timeline(path, fmt::format("rank {} has other nodes", rank));
      const double start = event.at("ts").get<double>() * 1e-6, length = event.at("dur").get<double>() * 1e-6;
      if (!std::isfinite(start) || !std::isfinite(length) || length < 0) refuse_timeline(path, "has times that are no numbers");
      timeline[rank][next[rank]++] = {start, start + length};
    }
  } catch (const Json::exception& error) { refuse_timeline(path, error.what()); }
  for (std::size_t rank = 0; rank < timeline.size(); ++rank) {
    skip_markers(rank);
    if (next[rank] != timeline[rank].size()) refuse_timeline(path, fmt::format("rank {} has fewer nodes", rank));
  }
  return timeline;
}

RunResult read_measured_steps(const Workload& workload, const std::vector<std::string>& files) {
  RunResult result;
  for (const std::string& path : files) {
    const bool records = path.ends_with(".jsonl"), timeline = path.ends_with(".json");
    if (!records && !timeline)
      throw Error(Fault::usage,
                  path + ": expected NAME.jsonl (records of steps) or NAME.json (a timeline), as workload -o writes them");
    if (records ? !result.steps.empty() : !result.timeline.empty())
      throw Error(Fault::usage, path + ": one file of this kind is enough");
    if (records)
      result.steps = read_step_records(read_file(path, most_bytes), path);
    else
      result.timeline = read_timeline(workload, read_file(path, most_bytes), path);
  }
  return result;
}

}  // namespace railgauge
