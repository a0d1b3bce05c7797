// Handles are counted: what is mapped, or was exported, outlives them.
#include "tests/softgpu/calls/mappings.hpp"

#include <unistd.h>

#include <map>
#include <memory>
#include <utility>

#include "tests/softgpu/engine/process.hpp"

namespace softgpu {
namespace {

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

cudaError_t create_physical(CUmemGenericAllocationHandle* made, std::size_t bytes, const CUmemAllocationProp& properties) {
  return call_on_gpu([&](Process& process, Gpu&, Lock&) {
    const int gpu = properties.location.id;
    if (made == nullptr || bytes == 0 || bytes % mapping_granularity != 0) return cudaErrorInvalidValue;
    if (properties.type != CU_MEM_ALLOCATION_TYPE_PINNED || properties.location.type != CU_MEM_LOCATION_TYPE_DEVICE)
      return cudaErrorInvalidValue;
    if (gpu < 0 || gpu >= static_cast<int>(process.gpus.size())) return cudaErrorInvalidDevice;
    if (properties.requestedHandleTypes == CU_MEM_HANDLE_TYPE_FABRIC) return cudaErrorNotPermitted;  // there is no IMEX
    if (bytes > process.config.memory_bytes()) return cudaErrorMemoryAllocation;
    auto segment = Segment::make({.bytes = bytes,
                                  .physical = process.gpus[static_cast<std::size_t>(gpu)]->physical(),
                                  .exportable = static_cast<std::uint32_t>(properties.requestedHandleTypes),
                                  .for_cards = properties.allocFlags.gpuDirectRDMACapable});
    if (segment == nullptr) return cudaErrorMemoryAllocation;
    if (const Mapped window(bytes, segment->fd()); window.address() != nullptr) spoil(window.address(), bytes);
    *made = hold(std::move(segment));
    return cudaSuccess;
  });
}

cudaError_t retain_physical(CUmemGenericAllocationHandle* made, const void* address) {
  return call_on_gpu([&](Process& process, Gpu&, Lock&) {
    const Span* const span = process.addresses.find(address);
    if (made == nullptr || span == nullptr || span->kind != SpanKind::mapped) return cudaErrorInvalidValue;
    *made = hold(span->segment);
    return cudaSuccess;
  });
}

cudaError_t release_physical(CUmemGenericAllocationHandle handle) {
  return call_on_gpu([&](Process&, Gpu&, Lock&) {
    Physical* const physical = find(handle);
    if (physical == nullptr) return cudaErrorInvalidValue;
    if (--physical->holders == 0) mappings().physical.erase(handle);
    return cudaSuccess;
  });
}

cudaError_t export_physical(int* fd, CUmemGenericAllocationHandle handle) {
  return call_on_gpu([&](Process&, Gpu&, Lock&) {
    const Physical* const physical = find(handle);
    if (fd == nullptr || physical == nullptr) return cudaErrorInvalidValue;
    if ((physical->segment->facts().exportable & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) == 0) return cudaErrorInvalidValue;
    *fd = dup(physical->segment->fd());
    return *fd < 0 ? cudaErrorOperatingSystem : cudaSuccess;
  });
}

cudaError_t import_physical(CUmemGenericAllocationHandle* made, int fd) {
  return call_on_gpu([&](Process&, Gpu&, Lock&) {
    auto segment = Segment::open(Descriptor(dup(fd)));
    if (made == nullptr || segment == nullptr) return cudaErrorInvalidValue;
    *made = hold(std::move(segment));
    return cudaSuccess;
  });
}

cudaError_t export_range(int* fd, std::uintptr_t address, std::size_t bytes) {
  return call_on_gpu([&](Process& process, Gpu&, Lock&) {
    const Span* const span = process.addresses.find(reinterpret_cast<const void*>(address));
    if (fd == nullptr || span == nullptr || !span->on_device() || bytes == 0 || address % page != 0 || bytes % page != 0)
      return cudaErrorInvalidValue;
    if (address + bytes > span->base + span->segment->data_bytes()) return cudaErrorInvalidValue;
    if (span->segment->facts().for_cards == 0) return cudaErrorNotSupported;
    *fd = dup(span->segment->fd());
    return *fd < 0 ? cudaErrorOperatingSystem : cudaSuccess;
  });
}

cudaError_t reserve_addresses(std::uintptr_t* made, std::size_t bytes) {
  return call_on_gpu([&](Process&, Gpu&, Lock&) {
    if (made == nullptr || bytes == 0 || bytes % mapping_granularity != 0) return cudaErrorInvalidValue;
    Mapped space(bytes);
    if (space.address() == nullptr) return cudaErrorMemoryAllocation;
    *made = reinterpret_cast<std::uintptr_t>(space.address());
    mappings().reserved.emplace(*made, Reserved{.space = std::move(space)});
    return cudaSuccess;
  });
}

cudaError_t free_addresses(std::uintptr_t address, std::size_t bytes) {
  return call_on_gpu([&](Process&, Gpu&, Lock&) {
    const Reserved* const reserved = find_reserved(address, bytes);
    if (reserved == nullptr || reserved->segment != nullptr) return cudaErrorInvalidValue;
    mappings().reserved.erase(address);
    return cudaSuccess;
  });
}

cudaError_t map_physical(std::uintptr_t address, std::size_t bytes, CUmemGenericAllocationHandle handle) {
  return call_on_gpu([&](Process&, Gpu&, Lock&) {
    Reserved* const reserved = find_reserved(address, bytes);
    const Physical* const physical = find(handle);
    if (reserved == nullptr || physical == nullptr || physical->segment->facts().bytes != bytes) return cudaErrorInvalidValue;
    if (reserved->segment != nullptr) return cudaErrorAlreadyMapped;
    reserved->segment = physical->segment;
    return cudaSuccess;
  });
}

cudaError_t allow(std::uintptr_t address, std::size_t bytes, const CUmemAccessDesc* access, std::size_t count) {
  return call_on_gpu([&](Process& process, Gpu&, Lock&) {
    const Reserved* const reserved = find_reserved(address, bytes);
    if (reserved == nullptr || reserved->segment == nullptr || access == nullptr || count == 0) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < count; ++i) {
      const int gpu = access[i].location.id;
      if (access[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || gpu < 0 || gpu >= static_cast<int>(process.gpus.size()))
        return cudaErrorInvalidDevice;
      if (!process.config.peers && process.gpus[static_cast<std::size_t>(gpu)]->physical() != reserved->segment->facts().physical)
        return cudaErrorInvalidDevice;
    }
    if (process.addresses.find(reinterpret_cast<const void*>(address)) != nullptr) return cudaSuccess;
    const Span* const span =
        process.addresses.show(reserved->segment, SpanKind::mapped, access[0].location.id, reserved->space.address());
    return span == nullptr ? cudaErrorMapBufferObjectFailed : cudaSuccess;
  });
}

// Who unmaps has waited for what uses it.
cudaError_t unmap_physical(std::uintptr_t address, std::size_t bytes) {
  return call_on_gpu([&](Process& process, Gpu&, Lock&) {
    Reserved* const reserved = find_reserved(address, bytes);
    if (reserved == nullptr || reserved->segment == nullptr) return cudaErrorInvalidValue;
    if (Span* const span = process.addresses.find(reinterpret_cast<const void*>(address))) process.addresses.remove(*span);
    reserved->segment.reset();
    return cudaSuccess;
  });
}

}  // namespace softgpu
