// The kernel that keeps a GPU busy.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace railgauge::cuda {

// Of each block of the kernel.
inline constexpr std::size_t busy_floats = 2048;

// Puts one launch into the stream, which is of the current device: `blocks` of them go so many times through their part of
// `values`, blocks * busy_floats numbers in memory of the device.
cudaError_t launch_busy(float* values, std::uint64_t passes, unsigned blocks, cudaStream_t stream);

}  // namespace railgauge::cuda
