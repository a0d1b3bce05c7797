// Kernels of float32 and float64.
#include "bench/device/cuda/steps.cuh"

namespace railgauge::cuda {

const Kernel& float32_kernel() { return kernel_of<Type::float32>; }
const Kernel& float64_kernel() { return kernel_of<Type::float64>; }

}  // namespace railgauge::cuda
