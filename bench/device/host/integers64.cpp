// The kernels of 64-bit integers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/device/host/integers64.cpp"
#include "bench/device/host/targets.hpp"
//
#include <hwy/foreach_target.h>
//
#include "bench/device/host/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace railgauge::host::HWY_NAMESPACE {
Kernel choose_int64(Op op) { return choose<Type::int64>(op); }
Kernel choose_uint64(Op op) { return choose<Type::uint64>(op); }
}  // namespace railgauge::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace railgauge::host {
HWY_EXPORT(choose_int64);
Kernel int64_kernel(Op op) { return HWY_DYNAMIC_DISPATCH(choose_int64)(op); }
HWY_EXPORT(choose_uint64);
Kernel uint64_kernel(Op op) { return HWY_DYNAMIC_DISPATCH(choose_uint64)(op); }
}  // namespace railgauge::host
#endif
