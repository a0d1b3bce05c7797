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

// The number of a kernel's first site: all sites of all kernels are numbered on, the same in all processes of one program. Throws
// std::length_error when there are more than Access::site can name.
[[nodiscard]] std::uint32_t first_site_of(const Kernel& kernel);
// The kernel and site of such a number; null for those below, which are the runtime's operations.
struct Place {
  const Kernel* kernel;
  const Site* site;
};
[[nodiscard]] Place place_of(std::uint32_t number);

}  // namespace softgpu
