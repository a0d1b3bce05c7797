// Streams, as the runtime and the driver offer them.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "tests/softgpu/engine/process.hpp"

namespace softgpu {

cudaError_t create_stream(cudaStream_t* made, bool non_blocking);
cudaError_t destroy_stream(cudaStream_t handle);
cudaError_t query_stream(cudaStream_t handle);
cudaError_t await_stream(cudaStream_t handle);
cudaError_t await_gpu();
cudaError_t call_host(cudaStream_t handle, cudaHostFn_t function, void* argument);

// Flags as of cuStreamWaitValue64 and cuStreamWriteValue64.
cudaError_t wait_value(cudaStream_t handle, std::uintptr_t address, std::uint64_t value, unsigned bytes, unsigned flags);
cudaError_t write_value(cudaStream_t handle, std::uintptr_t address, std::uint64_t value, unsigned bytes, unsigned flags);

}  // namespace softgpu
