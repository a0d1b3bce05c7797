// What errors are called. The runtime and the driver have the same numbers for the same errors.
#pragma once

#include <cuda_runtime_api.h>

namespace softgpu {

struct ErrorWords {
  int code;
  const char *runtime_name, *driver_name, *text;
};

// "unrecognized error code" where this library never gives it.
[[nodiscard]] const ErrorWords& words_of(int code) noexcept;

}  // namespace softgpu
