// A measurement in the numbers of a result.
#pragma once

#include "bench/measure/loop.hpp"
#include "reports/result.hpp"

namespace railgauge {

[[nodiscard]] Status status_of(const Measurement& measurement) noexcept;

// All but what the loop does not know: buffers, cache and bandwidths. `share` of an iteration's time is that of what is reported.
[[nodiscard]] Summary summary_of(const Measurement& measurement, double share);

}  // namespace railgauge
