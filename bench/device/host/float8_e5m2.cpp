// The kernels of float8_e5m2.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/device/host/float8_e5m2.cpp"
#include "bench/device/host/targets.hpp"
//
#include <hwy/foreach_target.h>
//
#include "bench/device/host/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace railgauge::host::HWY_NAMESPACE {
Kernel choose_float8_e5m2(Op op) { return choose<Type::float8_e5m2>(op); }
}  // namespace railgauge::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace railgauge::host {
HWY_EXPORT(choose_float8_e5m2);
Kernel float8_e5m2_kernel(Op op) { return HWY_DYNAMIC_DISPATCH(choose_float8_e5m2)(op); }
}  // namespace railgauge::host
#endif
