// Which kernel belongs to which type.
#include "bench/device/host/kernel.hpp"

namespace railgauge::host {

Kernel find_kernel(Type type, Op op) {
  switch (type) {
    case Type::int8:
      return int8_kernel(op);
    case Type::uint8:
      return uint8_kernel(op);
    case Type::int32:
      return int32_kernel(op);
    case Type::uint32:
      return uint32_kernel(op);
    case Type::int64:
      return int64_kernel(op);
    case Type::uint64:
      return uint64_kernel(op);
    case Type::float16:
      return float16_kernel(op);
    case Type::bfloat16:
      return bfloat16_kernel(op);
    case Type::float32:
      return float32_kernel(op);
    case Type::float64:
      return float64_kernel(op);
    case Type::float8_e4m3:
      return float8_e4m3_kernel(op);
    case Type::float8_e5m2:
      break;
  }
  return float8_e5m2_kernel(op);
}

}  // namespace railgauge::host
