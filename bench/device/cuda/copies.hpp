// Copies from, to and between GPUs.
#pragma once

#include "bench/device/copies.hpp"

namespace railgauge::cuda {

// One process drives all GPUs. Where two cannot reach each other's memory, the copy engines still copy, staged, and kernels are
// refused with a sentence.
[[nodiscard]] const CopyTable& copies();

}  // namespace railgauge::cuda
