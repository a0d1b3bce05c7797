// The kernels of CUDA devices: three for each type that reduce, one launch each, and one that runs mapped plans.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/words.hpp"
#include "bench/device/cuda/partition.hpp"
#include "bench/device/cuda/step_runner.hpp"
#include "bench/device/device.hpp"

namespace railgauge::cuda {

// A launch takes so many sources, and so many targets, at the most.
inline constexpr std::size_t most_operands = 120;

// Two sources into one target, unscaled; up to 8 of each; up to most_operands of each.
enum class Width : std::uint8_t { pair, few, many };
inline constexpr std::size_t widths = 3;

// Most blocks of one launch, by Width. Each runs through the array with the stride of all.
using Grids = std::array<unsigned, widths>;

// A StepWork of a program, its operands in the GPU's memory. Factors are Numbers of the type already.
struct WorkView {
  const std::byte* const* sources = nullptr;
  std::byte* const* targets = nullptr;
  const std::uint64_t* factors = nullptr;
  Partition cut;
  std::uint32_t source_count = 0, target_count = 0, divisor = 1;
  Op op = Op::none;
  bool premultiplied = false, copies = false;
};

// A program as its kernel takes it. All but the control lies in the GPU's memory.
struct StepArguments {
  const LaneView* lanes = nullptr;
  const WorkView* works = nullptr;
  std::uint32_t work_count = 0;      // of all lanes
  std::uint64_t* arrived = nullptr;  // by lane: how many blocks have come to a join so far, in all runs
  std::uint32_t* claimed = nullptr;  // by the block that says why it gave up
  StepControl* control = nullptr;
  std::uint32_t blocks_of_lane = 1;
  std::int64_t patience = 0;  // nanoseconds that a wait may take
};

struct Kernel {
  // Puts Compute::reduce into the stream. Precondition: at most most_operands sources and targets.
  cudaError_t (*launch)(std::span<const ConstBytes> sources, std::span<const Bytes> targets, const Scale& scale, Op op,
                        const Grids& grids, cudaStream_t stream);
  // Of the current device.
  cudaError_t (*measure_grids)(Grids& grids, int multiprocessors);
  // Puts a run of a program into the stream.
  cudaError_t (*launch_steps)(const StepArguments& arguments, unsigned lanes, cudaStream_t stream);
  // Blocks of that kernel that a multiprocessor of the current device holds.
  cudaError_t (*measure_steps)(int& blocks);
  // A factor of premulsum as a Number of the type, from the lowest bit on.
  std::uint64_t (*factor)(double value);
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
