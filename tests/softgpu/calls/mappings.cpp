// Handles are counted: what is mapped, or was exported, outlives them.
#include "tests/softgpu/calls/mappings.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "tests/softgpu/engine/process.hpp"

namespace softgpu {
namespace {

constexpr int nobody_promised = 0xdb;

struct Physical {
  std::shared_ptr<Segment> segment;
  unsigned holders = 1;
};

struct Reserved {
  Mapped space;
  std::shared_ptr<Segment> segment = {};  // mapped there; null: none
};

// Guarded by the lock of the process.
struct Mappings {
  std::map<CUmemGenericAllocationHandle, Physical> physical;
  std::map<std::uintptr_t, Reserved> reserved;
  CUmemGenericAllocationHandle next = 1;
};
Mappings& mappings() {
  static Mappings all;
  return all;
}

template <class Body>
CUresult drive(Body body) {
  return static_cast<CUresult>(
      call_on_gpu([&](Process& process, Gpu& gpu, Lock& lock) { return static_cast<cudaError_t>(body(process, gpu, lock)); }));
}

Physical* find(CUmemGenericAllocationHandle handle) {
  const auto found = mappings().physical.find(handle);
  return found == mappings().physical.end() ? nullptr : &found->second;
}

CUmemGenericAllocationHandle hold(std::shared_ptr<Segment> segment) {
  for (auto& [handle, physical] : mappings().physical)
    if (physical.segment == segment) {
      ++physical.holders;
      return handle;
    }
  const CUmemGenericAllocationHandle handle = mappings().next++;
  mappings().physical.emplace(handle, Physical{std::move(segment)});
  return handle;
}

// The reservation of just these addresses.
Reserved* find_reserved(std::uintptr_t address, std::size_t bytes) {
  const auto found = mappings().reserved.find(address);
  return found == mappings().reserved.end() || found->second.space.bytes() != bytes ? nullptr : &found->second;
}

}  // namespace

CUresult create_physical(CUmemGenericAllocationHandle* made, std::size_t bytes, const CUmemAllocationProp& properties) {
  return drive([&](Process& process, Gpu&, Lock&) {
    const int gpu = properties.location.id;
    if (made == nullptr || bytes == 0 || bytes % mapping_granularity != 0) return CUDA_ERROR_INVALID_VALUE;
    if (properties.type != CU_MEM_ALLOCATION_TYPE_PINNED || properties.location.type != CU_MEM_LOCATION_TYPE_DEVICE)
      return CUDA_ERROR_INVALID_VALUE;
    if (gpu < 0 || gpu >= static_cast<int>(process.gpus.size())) return CUDA_ERROR_INVALID_DEVICE;
    if (properties.requestedHandleTypes == CU_MEM_HANDLE_TYPE_FABRIC) return CUDA_ERROR_NOT_PERMITTED;  // there is no IMEX
    if (bytes > process.config.gigabytes * 1'000'000'000) return CUDA_ERROR_OUT_OF_MEMORY;
    auto segment = Segment::make({.bytes = bytes,
                                  .physical = process.gpus[static_cast<std::size_t>(gpu)]->physical(),
                                  .exportable = static_cast<std::uint32_t>(properties.requestedHandleTypes)});
    if (segment == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    if (const Mapped window(bytes, segment->fd()); window.address() != nullptr)
      std::memset(window.address(), nobody_promised, bytes);
    *made = hold(std::move(segment));
    return CUDA_SUCCESS;
  });
}

CUresult retain_physical(CUmemGenericAllocationHandle* made, const void* address) {
  return drive([&](Process& process, Gpu&, Lock&) {
    const Span* const span = process.addresses.find(address);
    if (made == nullptr || span == nullptr || span->kind != SpanKind::mapped) return CUDA_ERROR_INVALID_VALUE;
    *made = hold(span->segment);
    return CUDA_SUCCESS;
  });
}

CUresult release_physical(CUmemGenericAllocationHandle handle) {
  return drive([&](Process&, Gpu&, Lock&) {
    Physical* const physical = find(handle);
    if (physical == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (--physical->holders == 0) mappings().physical.erase(handle);
    return CUDA_SUCCESS;
  });
}

CUresult export_physical(int* fd, CUmemGenericAllocationHandle handle) {
  return drive([&](Process&, Gpu&, Lock&) {
    const Physical* const physical = find(handle);
    if (fd == nullptr || physical == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if ((physical->segment->facts().exportable & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) == 0) return CUDA_ERROR_INVALID_VALUE;
    *fd = dup(physical->segment->fd());
    return *fd < 0 ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
  });
}

CUresult import_physical(CUmemGenericAllocationHandle* made, int fd) {
  return drive([&](Process&, Gpu&, Lock&) {
    auto segment = Segment::open(Descriptor(dup(fd)));
    if (made == nullptr || segment == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *made = hold(std::move(segment));
    return CUDA_SUCCESS;
  });
}

CUresult reserve_addresses(std::uintptr_t* made, std::size_t bytes) {
  return drive([&](Process&, Gpu&, Lock&) {
    if (made == nullptr || bytes == 0 || bytes % mapping_granularity != 0) return CUDA_ERROR_INVALID_VALUE;
    Mapped space(bytes);
    if (space.address() == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    *made = reinterpret_cast<std::uintptr_t>(space.address());
    mappings().reserved.emplace(*made, Reserved{.space = std::move(space)});
    return CUDA_SUCCESS;
  });
}

CUresult free_addresses(std::uintptr_t address, std::size_t bytes) {
  return drive([&](Process&, Gpu&, Lock&) {
    const Reserved* const reserved = find_reserved(address, bytes);
    if (reserved == nullptr || reserved->segment != nullptr) return CUDA_ERROR_INVALID_VALUE;
    mappings().reserved.erase(address);
    return CUDA_SUCCESS;
  });
}

CUresult map_physical(std::uintptr_t address, std::size_t bytes, CUmemGenericAllocationHandle handle) {
  return drive([&](Process&, Gpu&, Lock&) {
    Reserved* const reserved = find_reserved(address, bytes);
    const Physical* const physical = find(handle);
    if (reserved == nullptr || physical == nullptr || physical->segment->facts().bytes != bytes) return CUDA_ERROR_INVALID_VALUE;
    if (reserved->segment != nullptr) return CUDA_ERROR_ALREADY_MAPPED;
    reserved->segment = physical->segment;
    return CUDA_SUCCESS;
  });
}

CUresult allow(std::uintptr_t address, std::size_t bytes, const CUmemAccessDesc* access, std::size_t count) {
  return drive([&](Process& process, Gpu&, Lock&) {
    const Reserved* const reserved = find_reserved(address, bytes);
    if (reserved == nullptr || reserved->segment == nullptr || access == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
    for (std::size_t i = 0; i < count; ++i) {
      const int gpu = access[i].location.id;
      if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || gpu < 0 || gpu >= static_cast<int>(process.gpus.size()))
        return CUDA_ERROR_INVALID_DEVICE;
      if (!process.config.peers && process.gpus[static_cast<std::size_t>(gpu)]->physical() != reserved->segment->facts().physical)
        return CUDA_ERROR_INVALID_DEVICE;
    }
    if (process.addresses.find(reinterpret_cast<const void*>(address)) != nullptr) return CUDA_SUCCESS;
    const Span* const span =
        process.addresses.show(reserved->segment, SpanKind::mapped, access[0].location.id, reserved->space.address());
    return span == nullptr ? CUDA_ERROR_MAP_FAILED : CUDA_SUCCESS;
  });
}

// Who unmaps has waited for what uses it.
CUresult unmap_physical(std::uintptr_t address, std::size_t bytes) {
  return drive([&](Process& process, Gpu&, Lock&) {
    Reserved* const reserved = find_reserved(address, bytes);
    if (reserved == nullptr || reserved->segment == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (Span* const span = process.addresses.find(reinterpret_cast<const void*>(address))) process.addresses.remove(*span);
    reserved->segment.reset();
    return CUDA_SUCCESS;
  });
}

}  // namespace softgpu
