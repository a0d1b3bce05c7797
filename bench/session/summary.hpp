// Converts a measurement to the numbers of a result.
#pragma once

#include <optional>
#include <span>

#include "bench/measure/clock_sync.hpp"
#include "bench/measure/loop.hpp"
#include "bench/plan/collective_spec.hpp"
#include "reports/result.hpp"

namespace railgauge {

[[nodiscard]] Status status_of(const Measurement& measurement) noexcept;

// All but the fields that the loop does not know: buffers, cache and bandwidths. `share`: of an iteration's time, the part that
// is reported (time_share()).
[[nodiscard]] Summary summary_of(const Measurement& measurement, double share);

// Element r of `clocks` is the line of rank r. Ignores idle ranks, whose starts mean nothing. Nothing for a measurement without
// starts, such as one pair of a round.
[[nodiscard]] std::optional<Arrival> arrival_of(const CollectiveSpec& spec, const Measurement& measurement,
                                                std::span<const ClockLine> clocks);

}  // namespace railgauge
