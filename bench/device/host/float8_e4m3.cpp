// The kernels of float8_e4m3.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/device/host/float8_e4m3.cpp"
#include "bench/device/host/targets.hpp"
//
#include <hwy/foreach_target.h>
//
#include "bench/device/host/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace railgauge::host::HWY_NAMESPACE {
Kernel choose_float8_e4m3(Op op) { return choose<Type::float8_e4m3>(op); }
}  // namespace railgauge::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace railgauge::host {
HWY_EXPORT(choose_float8_e4m3);
Kernel float8_e4m3_kernel(Op op) { return HWY_DYNAMIC_DISPATCH(choose_float8_e4m3)(op); }
}  // namespace railgauge::host
#endif
