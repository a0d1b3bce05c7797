// Kernels of the floating-point types of 16 bits.
#include "bench/device/cuda/steps.cuh"

namespace railgauge::cuda {

const Kernel& float16_kernel() { return kernel_of<Type::float16>; }
const Kernel& bfloat16_kernel() { return kernel_of<Type::bfloat16>; }

}  // namespace railgauge::cuda
