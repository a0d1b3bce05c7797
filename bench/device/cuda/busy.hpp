// A kernel that keeps a GPU busy, in one of its streams.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>

#include "bench/device/busy.hpp"

namespace railgauge::cuda {

// On the current device, whose number it is: a block on each multiprocessor. `at_rest`: whether nothing is in flight there after
// some waiting, since what frees memory waits for all of it. Throws Error(usage).
[[nodiscard]] std::unique_ptr<BusyKernel> make_busy_kernel(int number, int multiprocessors, cudaStream_t stream,
                                                           std::function<bool()> at_rest);

}  // namespace railgauge::cuda
