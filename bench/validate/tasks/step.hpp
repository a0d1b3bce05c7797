// A training step among the members of an order.
#pragma once

#include "bench/device/registry.hpp"
#include "bench/validate/orders/orders.hpp"
#include "transports/group.hpp"
#include "transports/registry/registry.hpp"

namespace railgauge::validate {

// Collective over the group, with buffers on `device`. Throws Error(usage): no such model, or one that does not fit so many ranks
// or the memory; Error(wrong_data), and Error(lost).
[[nodiscard]] StepTimes measure_step(Group& group, const ChosenTransport& transport, const ChosenDevice& device,
                                     const StepTask& task, Seconds watchdog, bool oversubscribed);

}  // namespace railgauge::validate
