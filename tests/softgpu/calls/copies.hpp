// Copies and fills, as the runtime and the driver offer them.
//
//                        returns when                              arrives
//   pageable to device   the source was read                       in the order of its stream, perhaps later
//   device to pageable   all is there (asynchronously: perhaps)
//   pinned, synchronous  all is there
//   within devices       it is in the stream                       in the order of its stream
//   within the host      all is there
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "tests/softgpu/engine/process.hpp"

namespace softgpu {

// cudaMemcpyDefault: as the addresses say. In the legacy stream.
cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind);
cudaError_t copy_in_stream(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t handle);
// In the legacy stream; waits for memory of the host alone.
cudaError_t fill(void* to, int value, std::size_t bytes);
cudaError_t fill_in_stream(void* to, int value, std::size_t bytes, cudaStream_t handle);

}  // namespace softgpu
