// The rule behind bench/measure/stop.hpp.
#include "bench/measure/stop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics/samples.hpp"

namespace railgauge {
namespace {

constexpr double latency_bound_seconds = 10e-6;

// Half as many again as there are, but no more than fit into the time that is left, and at least one.
std::uint64_t until_next_look(const Policy& policy, std::uint64_t have, Seconds elapsed) {
  if (have < policy.min_samples && have == 0) return std::max<std::uint64_t>(policy.min_samples, 1);
  std::uint64_t more = have < policy.min_samples ? policy.min_samples - have : have / 2 + 1;
  more = std::min(more, policy.max_samples - std::min(have, policy.max_samples - 1));
  const double left = (policy.max_time - elapsed).count();
  const double each = elapsed.count() / static_cast<double>(have);  // with all that surrounds a sample
  if (each > 0) more = std::min(more, static_cast<std::uint64_t>(std::clamp(std::ceil(left / each), 1.0, 1e15)));
  return std::max<std::uint64_t>(more, 1);
}

}  // namespace

double wanted_precision(const Policy& policy, double median_seconds) {
  if (policy.precision) return *policy.precision;
  return median_seconds < latency_bound_seconds ? 0.02 : 0.01;
}

StopDecision decide(const Policy& policy, std::span<const double> seconds, std::uint64_t batch, Seconds elapsed) {
  const std::uint64_t have = seconds.size();
  if (policy.iterations) {
    const std::uint64_t samples = std::max<std::uint64_t>((*policy.iterations + batch - 1) / batch, 1);
    if (have >= samples) return {Decision::converged, 0, {}};
    return {Decision::more, samples - have, {}};
  }
  const bool out_of_time = elapsed >= policy.max_time;
  const bool out_of_samples = have >= policy.max_samples;
  const bool may_stop = have >= policy.min_samples && elapsed >= policy.min_time;
  if (have == 0 || (!may_stop && !out_of_time && !out_of_samples))
    return {Decision::more, until_next_look(policy, have, elapsed), {}};

  const Statistics statistics = summarise(seconds, policy.confidence);
  const double wanted = wanted_precision(policy, statistics.median);
  const bool enough = statistics.effective_samples >= policy.min_effective && statistics.ci_bounded;
  if (may_stop && enough && statistics.precision() <= wanted) return {Decision::converged, 0, {}};
  if (!out_of_time && !out_of_samples) return {Decision::more, until_next_look(policy, have, elapsed), {}};

  const std::string end = out_of_time ? fmt::format("the time of {:g} s was over", policy.max_time.count())
                                      : fmt::format("{} samples were taken", have);
  if (!enough)
    return {Decision::not_converged, 0,
            fmt::format("the median is known from only {:.0f} effective samples of {} (at least {:g} are wanted) when {}",
                        statistics.effective_samples, have, policy.min_effective, end)};
  if (!may_stop)
    return {Decision::not_converged, 0, fmt::format("only {} samples of {} were taken when {}", have, policy.min_samples, end)};
  return {Decision::not_converged, 0,
          fmt::format("the median is known to {:.2g} % ({:g} % are wanted) when {}", statistics.precision() * 100, wanted * 100,
                      end)};
}

}  // namespace railgauge
