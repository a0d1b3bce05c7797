// Fills in a Summary.
#include "bench/summary.hpp"

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

}  // namespace railgauge
