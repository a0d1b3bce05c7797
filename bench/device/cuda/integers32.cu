// Kernels of integers of 32 bits.
#include "bench/device/cuda/steps.cuh"

namespace railgauge::cuda {

const Kernel& int32_kernel() { return kernel_of<Type::int32>; }
const Kernel& uint32_kernel() { return kernel_of<Type::uint32>; }

}  // namespace railgauge::cuda
