// All ranks of a schedule, event by event: a rank begins its next round when its own transfers of this one are complete.
#pragma once

#include <span>
#include <vector>

#include "bench/predict/rounds/costs.hpp"
#include "bench/predict/rounds/steps.hpp"
#include "bench/predict/routes/routes.hpp"

namespace railgauge::predict {

struct Simulated {
  double seconds = 0;           // until the last rank is done
  std::vector<double> carried;  // bytes over each arc
};

// `steps` and `sizes` have an entry for each rank. A transfer begins when both ranks have posted it (rendezvous), or an
// eager one when its sender has; it takes its latency, and then shares the links until its bytes are through. Throws
// std::logic_error when ranks wait for each other for ever, which the verifier of schedules excludes.
[[nodiscard]] Simulated simulate(std::span<const Steps> steps, std::span<const Sizes> sizes, Routes& routes, const Costs& costs,
                                 const std::vector<double>& capacities);

}  // namespace railgauge::predict
