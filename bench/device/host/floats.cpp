// The kernels of float32 and float64.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/device/host/floats.cpp"
#include "bench/device/host/targets.hpp"
//
#include <hwy/foreach_target.h>
//
#include "bench/device/host/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace railgauge::host::HWY_NAMESPACE {
Kernel choose_float32(Op op) { return choose<Type::float32>(op); }
Kernel choose_float64(Op op) { return choose<Type::float64>(op); }
}  // namespace railgauge::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace railgauge::host {
HWY_EXPORT(choose_float32);
Kernel float32_kernel(Op op) { return HWY_DYNAMIC_DISPATCH(choose_float32)(op); }
HWY_EXPORT(choose_float64);
Kernel float64_kernel(Op op) { return HWY_DYNAMIC_DISPATCH(choose_float64)(op); }
}  // namespace railgauge::host
#endif
