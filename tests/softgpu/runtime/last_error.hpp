// The last error of the runtime in this thread.
#pragma once

#include <cuda_runtime_api.h>

namespace softgpu {

// Keeps it, unless it is none.
cudaError_t note(cudaError_t code) noexcept;

}  // namespace softgpu
