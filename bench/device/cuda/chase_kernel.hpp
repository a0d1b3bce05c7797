// The kernels of walks: one that writes the pointers (bench/device/chain.hpp) and one that follows them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace railgauge::cuda {

// Each puts one launch into the stream, which is of the current device. Memory is the device's own or mapped for it.
cudaError_t launch_chain(std::byte* memory, std::uint64_t bytes, cudaStream_t stream);
// From `*place`, which lies on the device, so many steps; the end is left there. By one thread.
cudaError_t launch_chase(const std::byte* memory, std::uint64_t* place, std::uint64_t steps, cudaStream_t stream);

}  // namespace railgauge::cuda
