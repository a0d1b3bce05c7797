// The stopping rule: stop once the median is known precisely enough, or when the time or the samples are used up.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/units.hpp"

namespace railgauge {

struct Policy {
  // Half width of the median's interval, as a share of the median. Nothing: wanted_precision() chooses.
  std::optional<double> precision;
  double confidence = 0.95;
  double min_effective = 60;  // effective samples, so that the interval itself can be believed
  Seconds min_time{0.0};
  Seconds max_time{5.0};  // of one point, warm-up included
  std::uint64_t min_samples = 60;
  std::uint64_t max_samples = 100'000;
  // Exactly so many timed iterations (rounded up to whole batches) and no rule: neither times nor precision matter.
  std::optional<std::uint64_t> iterations;
};

enum class Decision : std::uint8_t { more, converged, not_converged };

struct StopDecision {
  Decision decision = Decision::more;
  std::uint64_t more = 0;  // samples to take before the next look
  std::string reason;      // not_converged: a sentence with the precision that was reached and the limit that ended it
};

// The policy's precision, a share of the median. Where the policy leaves it open: 1 %, or 2 % where the median is below 10 us,
// since 1 % of that is a few cache misses, and those differ between runs by more than further samples of one run can resolve.
[[nodiscard]] double wanted_precision(const Policy& policy, double median_seconds);

// `seconds`: all samples since the warm-up, in order, in seconds an iteration; `batch`: iterations of each sample; `elapsed`:
// since the point began. The number of samples grows by half between two looks, so that an interval that is narrow by chance
// seldom ends the measurement.
[[nodiscard]] StopDecision decide(const Policy& policy, std::span<const double> seconds, std::uint64_t batch, Seconds elapsed);

}  // namespace railgauge
