// Host memory for buffers: page aligned, in huge pages where the system has them, zeroed and touched.
#pragma once

#include <cstddef>
#include <functional>

#include "bench/device/device.hpp"

namespace railgauge::host {

// As Device::allocate. `available` is asked before and, since other ranks allocate at the same time, while the pages are touched.
[[nodiscard]] Memory allocate(std::size_t bytes, Sharing sharing, const std::function<std::size_t()>& available);

}  // namespace railgauge::host
