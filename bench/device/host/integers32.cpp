// The kernels of 32-bit integers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/device/host/integers32.cpp"
#include "bench/device/host/targets.hpp"
//
#include <hwy/foreach_target.h>
//
#include "bench/device/host/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace railgauge::host::HWY_NAMESPACE {
Kernel choose_int32(Op op) { return choose<Type::int32>(op); }
Kernel choose_uint32(Op op) { return choose<Type::uint32>(op); }
}  // namespace railgauge::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace railgauge::host {
HWY_EXPORT(choose_int32);
Kernel int32_kernel(Op op) { return HWY_DYNAMIC_DISPATCH(choose_int32)(op); }
HWY_EXPORT(choose_uint32);
Kernel uint32_kernel(Op op) { return HWY_DYNAMIC_DISPATCH(choose_uint32)(op); }
}  // namespace railgauge::host
#endif
