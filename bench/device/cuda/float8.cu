// Kernels of the floating-point types of 8 bits.
#include "bench/device/cuda/steps.cuh"

namespace railgauge::cuda {

const Kernel& float8_e4m3_kernel() { return kernel_of<Type::float8_e4m3>; }
const Kernel& float8_e5m2_kernel() { return kernel_of<Type::float8_e5m2>; }

}  // namespace railgauge::cuda
