// The kernels that were translated from PTX and linked in.
#pragma once

#include <span>
#include <string_view>

#include "tests/softgpu/machine/abi.h"

namespace softgpu {

using Kernel = sg_kernel;
using Site = sg_site;

// By its mangled name; null when there is none. In names of anonymous namespaces, the hash that nvcc draws from how the file was
// compiled (_GLOBAL__N__0123abcd_...) may differ.
[[nodiscard]] const Kernel* find_kernel(std::string_view mangled_name);

[[nodiscard]] std::span<const Kernel* const> all_kernels();

// A number of each site of each kernel, the same in all processes of one program; `site` counts within the kernel.
[[nodiscard]] std::uint32_t number_of(const Kernel& kernel, std::uint32_t site);
// The kernel and site of such a number. Precondition: number_of() gave it.
struct Place {
  const Kernel* kernel;
  const Site* site;
};
[[nodiscard]] Place place_of(std::uint32_t number);

}  // namespace softgpu
