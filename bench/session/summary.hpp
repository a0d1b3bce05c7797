// A measurement in the numbers of a result.
#pragma once

#include <optional>
#include <span>

#include "bench/measure/clock_sync.hpp"
#include "bench/measure/loop.hpp"
#include "bench/plan/collective_spec.hpp"
#include "reports/result.hpp"

namespace railgauge {

[[nodiscard]] Status status_of(const Measurement& measurement) noexcept;

// All but what the loop does not know: buffers, cache and bandwidths. `share` of an iteration's time is that of what is reported.
[[nodiscard]] Summary summary_of(const Measurement& measurement, double share);

// Element r of `clocks` is the line of rank r. Ranks that stand idle start when they like: they do not count. Nothing for what
// has no starts, as one pair of a round.
[[nodiscard]] std::optional<Arrival> arrival_of(const CollectiveSpec& spec, const Measurement& measurement,
                                                std::span<const ClockLine> clocks);

}  // namespace railgauge
