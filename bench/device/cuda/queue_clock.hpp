// The time between events of a stream.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "bench/device/queued.hpp"

namespace railgauge::cuda {

// Of device `number`, which is the current one. Throws Error(usage).
[[nodiscard]] std::unique_ptr<QueueClock> make_queue_clock(int number, cudaStream_t stream);

}  // namespace railgauge::cuda
