// All ranks of a schedule, event by event: a rank begins its next round when its own transfers of this one are complete.
#pragma once

#include <cstdint>
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
// `devices`: where ranks are lanes, a number for each that those of one device have in common (further entries count for
// nothing): what they reduce and copy, and what they post, goes one behind the other. Empty: each rank has a device of its own.
[[nodiscard]] Simulated simulate(std::span<const Steps> steps, std::span<const Sizes> sizes, Routes& routes, const Costs& costs,
                                 const std::vector<double>& capacities, std::span<const std::uint32_t> devices = {});

}  // namespace railgauge::predict
