// Which kernels belong to which type.
#include "bench/device/cuda/kernel.hpp"

namespace railgauge::cuda {

const Kernel& find_kernel(Type type) {
  switch (type) {
    case Type::int8:
      return int8_kernel();
    case Type::uint8:
      return uint8_kernel();
    case Type::int32:
      return int32_kernel();
    case Type::uint32:
      return uint32_kernel();
    case Type::int64:
      return int64_kernel();
    case Type::uint64:
      return uint64_kernel();
    case Type::float16:
      return float16_kernel();
    case Type::bfloat16:
      return bfloat16_kernel();
    case Type::float32:
      return float32_kernel();
    case Type::float64:
      return float64_kernel();
    case Type::float8_e4m3:
      return float8_e4m3_kernel();
    case Type::float8_e5m2:
      break;
  }
  return float8_e5m2_kernel();
}

}  // namespace railgauge::cuda
