// Kernels of integers of 64 bits.
#include "bench/device/cuda/steps.cuh"

namespace railgauge::cuda {

const Kernel& int64_kernel() { return kernel_of<Type::int64>; }
const Kernel& uint64_kernel() { return kernel_of<Type::uint64>; }

}  // namespace railgauge::cuda
