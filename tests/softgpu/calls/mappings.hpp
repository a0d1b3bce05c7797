// Physical memory, reserved addresses, and the one mapped at the other (cuMem...).
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace softgpu {

inline constexpr std::size_t mapping_granularity = std::size_t{2} << 20;

CUresult create_physical(CUmemGenericAllocationHandle* made, std::size_t bytes, const CUmemAllocationProp& properties);
CUresult retain_physical(CUmemGenericAllocationHandle* made, const void* address);
CUresult release_physical(CUmemGenericAllocationHandle handle);
CUresult export_physical(int* fd, CUmemGenericAllocationHandle handle);
CUresult import_physical(CUmemGenericAllocationHandle* made, int fd);

CUresult reserve_addresses(std::uintptr_t* made, std::size_t bytes);
CUresult free_addresses(std::uintptr_t address, std::size_t bytes);
// Nothing may touch them before allow().
CUresult map_physical(std::uintptr_t address, std::size_t bytes, CUmemGenericAllocationHandle handle);
CUresult allow(std::uintptr_t address, std::size_t bytes, const CUmemAccessDesc* access, std::size_t count);
CUresult unmap_physical(std::uintptr_t address, std::size_t bytes);

}  // namespace softgpu
