// GPU memory under a descriptor, so that network cards can reach it.
#pragma once

#include <cstddef>

namespace railgauge::cuda {

// Allocations of this and its multiples begin and end at pages, as a descriptor must.
inline constexpr std::size_t dmabuf_granularity = std::size_t{2} << 20;

// A dmabuf of these bytes of device `number`, which the caller closes; -1 where the driver, the GPU or the address range has
// none. What is then copied into that memory by synchronous calls is done when they return, also for others than the GPU.
[[nodiscard]] int export_dmabuf(void* address, std::size_t bytes, int number) noexcept;

}  // namespace railgauge::cuda
