// The kernels of 8-bit integers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/device/host/integers8.cpp"
#include "bench/device/host/targets.hpp"
//
#include <hwy/foreach_target.h>
//
#include "bench/device/host/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace railgauge::host::HWY_NAMESPACE {
Kernel choose_int8(Op op) { return choose<Type::int8>(op); }
Kernel choose_uint8(Op op) { return choose<Type::uint8>(op); }
}  // namespace railgauge::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace railgauge::host {
HWY_EXPORT(choose_int8);
Kernel int8_kernel(Op op) { return HWY_DYNAMIC_DISPATCH(choose_int8)(op); }
HWY_EXPORT(choose_uint8);
Kernel uint8_kernel(Op op) { return HWY_DYNAMIC_DISPATCH(choose_uint8)(op); }
}  // namespace railgauge::host
#endif
