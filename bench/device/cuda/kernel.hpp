// The reduction kernels of CUDA devices: three for each type, one launch each.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <span>

#include "base/words.hpp"
#include "bench/device/device.hpp"

namespace railgauge::cuda {

// A launch takes so many sources, and so many targets, at the most.
inline constexpr std::size_t most_operands = 120;

// Two sources into one target, unscaled; up to 8 of each; up to most_operands of each.
enum class Width : std::uint8_t { pair, few, many };
inline constexpr std::size_t widths = 3;

// Blocks of one kernel that fill the device, by Width. Each runs through the array with the stride of all.
using Grids = std::array<unsigned, widths>;

struct Kernel {
  // Puts Compute::reduce into the stream. Precondition: at most most_operands sources and targets.
  cudaError_t (*launch)(std::span<const ConstBytes> sources, std::span<const Bytes> targets, const Scale& scale, Op op,
                        const Grids& grids, cudaStream_t stream);
  // Of the current device.
  cudaError_t (*measure_grids)(Grids& grids, int multiprocessors);
};

// Static storage.
[[nodiscard]] const Kernel& find_kernel(Type type);

// Where the kernels of each type are compiled (one file a few, so that none takes long).
[[nodiscard]] const Kernel& int8_kernel();
[[nodiscard]] const Kernel& uint8_kernel();
[[nodiscard]] const Kernel& int32_kernel();
[[nodiscard]] const Kernel& uint32_kernel();
[[nodiscard]] const Kernel& int64_kernel();
[[nodiscard]] const Kernel& uint64_kernel();
[[nodiscard]] const Kernel& float16_kernel();
[[nodiscard]] const Kernel& bfloat16_kernel();
[[nodiscard]] const Kernel& float32_kernel();
[[nodiscard]] const Kernel& float64_kernel();
[[nodiscard]] const Kernel& float8_e4m3_kernel();
[[nodiscard]] const Kernel& float8_e5m2_kernel();

}  // namespace railgauge::cuda
