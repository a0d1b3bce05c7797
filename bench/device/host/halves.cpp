// The kernels of float16 and bfloat16.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/device/host/halves.cpp"
#include "bench/device/host/targets.hpp"
//
#include <hwy/foreach_target.h>
//
#include "bench/device/host/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace railgauge::host::HWY_NAMESPACE {
Kernel choose_float16(Op op) { return choose<Type::float16>(op); }
Kernel choose_bfloat16(Op op) { return choose<Type::bfloat16>(op); }
}  // namespace railgauge::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace railgauge::host {
HWY_EXPORT(choose_float16);
Kernel float16_kernel(Op op) { return HWY_DYNAMIC_DISPATCH(choose_float16)(op); }
HWY_EXPORT(choose_bfloat16);
Kernel bfloat16_kernel(Op op) { return HWY_DYNAMIC_DISPATCH(choose_bfloat16)(op); }
}  // namespace railgauge::host
#endif
