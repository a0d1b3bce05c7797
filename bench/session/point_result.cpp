#include "bench/session/point_result.hpp"

#include <utility>

#include "base/bandwidth.hpp"
#include "bench/group/host.hpp"
#include "bench/plan/collective_spec.hpp"
#include "bench/schedule/algorithms/native.hpp"
#include "bench/schedule/traffic.hpp"
#include "bench/select/counts.hpp"
#include "bench/session/summary.hpp"

namespace railgauge {
namespace {

// With counts, busbw is of what crosses the busiest rank's link: no factor of S tells it.
Bandwidth bandwidth_of(const CollectiveSpec& spec, std::uint64_t bytes, Seconds time) {
  Bandwidth found = bandwidth(spec.algorithm->collective, spec.shape.ranks, bytes, time);
  if (!spec.counts.empty())
    found.busbw =
        found.algbw * static_cast<double>(most_exchanged(spec.counts, spec.shape.ranks)) / static_cast<double>(spec.elements);
  return found;
}

}  // namespace

Case case_of(const Point& point, const std::string& transport, const SessionOptions& options) {
  const CollectiveSpec& spec = point.spec;
  Case result;
  result.collective = name(spec.algorithm->collective);
  result.algorithm = spec.algorithm->name;
  result.transport = transport;
  result.device = options.device.memory_name;
  result.type = name(spec.type);
  result.op = name(spec.op);
  result.mode = options.fixed ? "fixed" : name(mode_of(options, spec.algorithm->collective));
  if (options.graph)
    result.path = is_native(*spec.algorithm) ? "native_graph" : "graph";
  else
    result.path = is_native(*spec.algorithm) ? "native" : options.path == Path::mapped ? "mapped" : "exchange";
  result.ranks = spec.shape.ranks;
  result.root = row(spec.algorithm->collective).rooted ? spec.shape.root : -1;
  result.lanes = static_cast<int>(spec.lanes);
  result.in_place = spec.in_place;
  const Collective collective = spec.algorithm->collective;
  if (collective == Collective::stream || collective == Collective::bidirectional) result.window = spec.shape.window;
  if (collective == Collective::permutation) result.seed = spec.shape.seed;
  if (!spec.counts.empty()) result.seed = digest_of(spec.counts);
  result.count = point.refusal.empty() ? spec.elements : point.bytes / bytes_of(spec.type);
  result.bytes = result.count * bytes_of(spec.type);
  return result;
}

std::vector<std::pair<std::string, std::string>> settings_of(const ChosenTransport& transport, const SessionOptions& options) {
  std::vector<std::pair<std::string, std::string>> settings = settings_of(transport);
  if (options.oversubscribed) settings.emplace_back("shared_cores", "yes");  // it changes how ranks wait
  return settings;
}

Result unmeasured_result(const Point& point, const ChosenTransport& transport, const SessionOptions& options,
                         const SessionFacts& facts, std::string_view path) {
  Result result;
  result.run = options.run;
  result.point = case_of(point, transport.name, options);
  result.point.nodes = facts.nodes;
  result.point.path = path;
  result.host = facts.host;
  result.versions = versions(transport);
  result.settings = settings_of(transport, options);
  if (!facts.device.empty()) result.versions.emplace_back(device_of_rank_0, facts.device);
  if (!facts.staged_because.empty()) result.versions.emplace_back("staged because", facts.staged_because);
  return result;
}

void add_measurement(Result& result, const Point& point, FixedMeasurement measurement, const FixedRun& run,
                     const BufferSets& sets) {
  if (measurement.mistake) {
    result.status = Status::wrong;
    result.reason = sentence(*measurement.mistake);
  }
  result.samples = {measurement.time};
  result.by_rank = std::move(measurement.by_rank);
  Summary& summary = result.summary;
  summary.samples = 1;
  summary.batch = run.iterations * run.aggregated;
  summary.buffers = sets.count;
  summary.cache = sets.cold ? "cold" : "warm";
  summary.effective_samples = 1;
  summary.checked = 0;
  summary.warm_up = (run.warm_up + 1) * run.aggregated;
  for (Seconds* each :
       {&summary.min, &summary.median, &summary.ci_low, &summary.ci_high, &summary.p95, &summary.p99, &summary.max})
    *each = measurement.time;
  const Bandwidth bandwidths = bandwidth_of(point.spec, result.point.bytes, measurement.time);
  summary.algbw = bandwidths.algbw;
  summary.busbw = bandwidths.busbw;
  summary.wrong = measurement.wrong;
}

void add_measurement(Result& result, const Point& point, const Measurement& measurement, const BufferSets& sets,
                     const std::vector<ClockLine>* lines) {
  result.status = status_of(measurement);
  result.reason = measurement.reason;
  const Collective collective = point.spec.algorithm->collective;
  const double share = time_share(collective, point.spec.shape);
  for (const Seconds sample : measurement.samples) result.samples.push_back(sample * share);
  for (const Seconds sample : measurement.host_samples) result.host_samples.push_back(sample * share);
  Summary& summary = result.summary;
  summary = summary_of(measurement, share);
  summary.buffers = sets.count;
  summary.cache = sets.cold ? "cold" : "warm";
  const Bandwidth bandwidths = bandwidth_of(point.spec, result.point.bytes, summary.median);
  summary.algbw = bandwidths.algbw;
  summary.busbw = bandwidths.busbw;
  if (lines != nullptr) result.arrival = arrival_of(point.spec, measurement, *lines);
}

}  // namespace railgauge
