// The kernels of copies: one that copies, one that writes the pattern and one that compares with it
// (bench/device/copy_pattern.hpp).
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace railgauge::cuda {

// What a comparison found: bytes that are wrong, and the first of them.
struct Differences {
  unsigned long long wrong = 0;
  unsigned long long first = ~0ULL;
};

// Each puts one launch into the stream, which is of the current device. Memory begins at a multiple of 16 bytes and is the
// device's own or mapped for it. `blocks` is what measure_copy_grid() gave for that device.
cudaError_t launch_copy(const std::byte* from, std::byte* to, std::size_t bytes, unsigned blocks, cudaStream_t stream);
// `change` as in copy_pattern::fill().
cudaError_t launch_fill(std::byte* to, std::size_t bytes, std::uint64_t seed, std::uint64_t change, unsigned blocks,
                        cudaStream_t stream);
// Adds to `found`, which lies on the device.
cudaError_t launch_compare(const std::byte* got, std::size_t bytes, std::uint64_t seed, Differences* found, unsigned blocks,
                           cudaStream_t stream);

// Blocks that fill the current device. Loads the kernels, which a launch must not wait for while it is timed.
cudaError_t measure_copy_grid(unsigned& blocks, int multiprocessors);

}  // namespace railgauge::cuda
