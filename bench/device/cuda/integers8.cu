// Kernels of integers of 8 bits.
#include "bench/device/cuda/steps.cuh"

namespace railgauge::cuda {

const Kernel& int8_kernel() { return kernel_of<Type::int8>; }
const Kernel& uint8_kernel() { return kernel_of<Type::uint8>; }

}  // namespace railgauge::cuda
