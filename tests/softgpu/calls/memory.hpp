// Memory: allocated, pinned, and shown to other processes.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>

#include "tests/softgpu/engine/process.hpp"

namespace softgpu {

// Of the current GPU. Its contents are nobody's promise.
cudaError_t allocate(void** made, std::size_t bytes);
// Waits for all that the GPU has in flight.
cudaError_t free_device(void* address);
cudaError_t allocate_pinned(void** made, std::size_t bytes);
cudaError_t allocate_managed(void** made, std::size_t bytes);
cudaError_t free_pinned(void* address);
cudaError_t register_pinned(void* address, std::size_t bytes);
cudaError_t unregister_pinned(void* address);
cudaError_t device_address(void** made, void* pinned);
cudaError_t memory_left(std::size_t* left, std::size_t* all);
cudaError_t range_of(std::uintptr_t* base, std::size_t* bytes, std::uintptr_t address);

// cuIpc...
cudaError_t show_to_others(CUipcMemHandle* handle, std::uintptr_t address);
cudaError_t open_of_others(std::uintptr_t* made, const CUipcMemHandle& handle);
cudaError_t close_of_others(std::uintptr_t address);

}  // namespace softgpu
