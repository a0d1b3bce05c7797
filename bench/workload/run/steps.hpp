// Measures steps of a workload on the ranks of a group.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/units.hpp"
#include "bench/device/registry.hpp"
#include "bench/workload/run/computations.hpp"
#include "bench/workload/step_record.hpp"
#include "bench/workload/workload.hpp"
#include "transports/group.hpp"
#include "transports/registry/registry.hpp"

namespace railgauge {

struct StepOptions {
  Computing computing = Computing::pause;
  ChosenDevice device = {};                 // where the buffers are
  std::optional<std::uint64_t> steps = {};  // so many; else until max_time is over, and at least a few
  Seconds max_time{5};
  Seconds watchdog{30};
  bool shared_cores = false;  // ranks of several hosts run on the same cores: who waits sleeps
};

// Collective over the group, which has as many ranks as the workload; the workload is consistent, and the same on all. Each step
// is measured three times: all of it, its communication alone, and its computations alone. Before them, a step runs in which the
// data of each call is checked as soon as it has ended; after each step that communicates, what the last call of each channel
// left. `tell` hears of each step on rank 0 as soon as it is done. All ranks
// return the same, but the timeline is rank 0's. Throws Error(lost) when a rank is lost or nothing proceeds.
[[nodiscard]] RunResult run_steps(Group& group, const ChosenTransport& transport, const Workload& workload,
                                  const StepOptions& options, const std::function<void(const StepRecord&)>& tell);

}  // namespace railgauge
