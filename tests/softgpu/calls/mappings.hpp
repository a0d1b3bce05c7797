// Physical memory, reserved addresses, and the one mapped at the other (cuMem...).
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace softgpu {

inline constexpr std::size_t mapping_granularity = std::size_t{2} << 20;

cudaError_t create_physical(CUmemGenericAllocationHandle* made, std::size_t bytes, const CUmemAllocationProp& properties);
cudaError_t retain_physical(CUmemGenericAllocationHandle* made, const void* address);
cudaError_t release_physical(CUmemGenericAllocationHandle handle);
cudaError_t export_physical(int* fd, CUmemGenericAllocationHandle handle);
cudaError_t import_physical(CUmemGenericAllocationHandle* made, int fd);

// A descriptor of whole pages for network cards: of memory of cudaMalloc, and of what was created for them.
cudaError_t export_range(int* fd, std::uintptr_t address, std::size_t bytes);
cudaError_t reserve_addresses(std::uintptr_t* made, std::size_t bytes);
cudaError_t free_addresses(std::uintptr_t address, std::size_t bytes);
// Nothing may touch them before allow().
cudaError_t map_physical(std::uintptr_t address, std::size_t bytes, CUmemGenericAllocationHandle handle);
cudaError_t allow(std::uintptr_t address, std::size_t bytes, const CUmemAccessDesc* access, std::size_t count);
cudaError_t unmap_physical(std::uintptr_t address, std::size_t bytes);

}  // namespace softgpu
