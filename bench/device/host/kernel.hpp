// The reduction kernels of the host: one function for each type and op, chosen once for the CPU that it runs on.
#pragma once

#include <span>

#include "base/words.hpp"
#include "bench/device/device.hpp"

namespace railgauge::host {

// As Compute::reduce. With `stream` the targets are written past the caches where their alignment allows; the caller fences.
using Kernel = void (*)(std::span<const ConstBytes> sources, std::span<const Bytes> targets, const Scale& scale, bool stream);

// The best kernel for this CPU. Never null; Op::none copies the first source.
[[nodiscard]] Kernel find_kernel(Type type, Op op);

// Where the kernels of each type are compiled (one file each, so that none takes long).
[[nodiscard]] Kernel int8_kernel(Op op);
[[nodiscard]] Kernel uint8_kernel(Op op);
[[nodiscard]] Kernel int32_kernel(Op op);
[[nodiscard]] Kernel uint32_kernel(Op op);
[[nodiscard]] Kernel int64_kernel(Op op);
[[nodiscard]] Kernel uint64_kernel(Op op);
[[nodiscard]] Kernel float16_kernel(Op op);
[[nodiscard]] Kernel bfloat16_kernel(Op op);
[[nodiscard]] Kernel float32_kernel(Op op);
[[nodiscard]] Kernel float64_kernel(Op op);
[[nodiscard]] Kernel float8_e4m3_kernel(Op op);
[[nodiscard]] Kernel float8_e5m2_kernel(Op op);

}  // namespace railgauge::host
