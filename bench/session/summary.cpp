// Fills in a Summary and an Arrival.
#include "bench/session/summary.hpp"

#include <cstdint>
#include <vector>

#include "bench/schedule/traffic.hpp"

namespace railgauge {

Status status_of(const Measurement& measurement) noexcept {
  if (measurement.mistake) return Status::wrong;
  return measurement.converged ? Status::ok : Status::not_converged;
}

Summary summary_of(const Measurement& measurement, double share) {
  const Statistics& statistics = measurement.statistics;
  Summary summary;
  summary.samples = statistics.samples;
  summary.batch = measurement.batch;
  summary.effective_samples = statistics.effective_samples;
  summary.checked = measurement.checked;
  summary.warm_up = measurement.warm_up;
  summary.min = Seconds(statistics.min * share);
  summary.median = Seconds(statistics.median * share);
  summary.ci_low = Seconds(statistics.ci_low * share);
  summary.ci_high = Seconds(statistics.ci_high * share);
  summary.p95 = Seconds(statistics.p95 * share);
  summary.p99 = Seconds(statistics.p99 * share);
  summary.max = Seconds(statistics.max * share);
  summary.wrong = measurement.wrong;
  return summary;
}

std::optional<Arrival> arrival_of(const CollectiveSpec& spec, const Measurement& measurement, std::span<const ClockLine> clocks) {
  std::vector<std::vector<double>> starts;
  std::vector<ClockLine> lines;
  std::vector<std::size_t> ranks;
  Shape shape = spec.shape;
  for (std::size_t rank = 0; rank < measurement.starts.size(); ++rank) {
    shape.rank = static_cast<std::int32_t>(rank);
    if (!takes_part(spec.algorithm->collective, shape)) continue;
    starts.push_back(measurement.starts[rank]);
    lines.push_back(clocks[rank]);
    ranks.push_back(rank);
  }
  const StartSkew skew = skew_of(starts, lines);
  if (skew.samples == 0) return std::nullopt;
  Arrival arrival;
  arrival.samples = skew.samples;
  arrival.skew = Seconds(skew.median);
  arrival.skew_max = Seconds(skew.max);
  arrival.clock_error = Seconds(skew.error);
  arrival.late_starts = measurement.late_starts;
  arrival.slowest = measurement.slowest;
  arrival.last.assign(measurement.starts.size(), 0);
  for (std::size_t i = 0; i < ranks.size(); ++i) arrival.last[ranks[i]] = skew.last[i];
  return arrival;
}

}  // namespace railgauge
