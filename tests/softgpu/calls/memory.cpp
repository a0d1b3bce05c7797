// Allocations, and handles of them: a process, and its descriptor of the segment.
#include "tests/softgpu/calls/memory.hpp"

#include <unistd.h>

#include <cstring>

namespace softgpu {
namespace {

struct Token {
  std::uint64_t magic = 0x736f667467707569;
  std::int32_t process = 0, fd = -1;
  std::uint64_t number = 0;  // of the segment
};
static_assert(sizeof(Token) <= sizeof(CUipcMemHandle));

std::size_t left_of(Process& process, const Gpu& gpu) {
  const std::size_t all = process.config.memory_bytes(), used = process.addresses.used(gpu.number());
  return used < all ? all - used : 0;
}

cudaError_t allocate_host(void** made, std::size_t bytes, SpanKind kind) {
  return call_on_gpu([&](Process& process, Gpu&, Lock&) {
    if (made == nullptr) return cudaErrorInvalidValue;
    *made = nullptr;
    if (process.is_forbidden_by_capture()) return cudaErrorStreamCaptureUnsupported;
    if (bytes == 0) return cudaSuccess;
    if (bytes > process.config.memory_bytes()) return cudaErrorMemoryAllocation;
    const Span* const span = process.addresses.allocate_host(kind, bytes);
    if (span == nullptr) return cudaErrorMemoryAllocation;
    *made = span->address();
    return cudaSuccess;
  });
}

// The span that begins there, or null.
Span* beginning_at(Process& process, const void* address) {
  Span* const span = process.addresses.find(address);
  return span != nullptr && span->address() == address ? span : nullptr;
}

// Ends a span of one of two kinds when nothing is in flight. Also of a GPU that has failed, which says so.
cudaError_t end_span(void* address, SpanKind kind, SpanKind other, cudaError_t none) {
  return call([&](Process& process, Lock& lock) -> cudaError_t {
    if (address == nullptr) return cudaSuccess;
    const auto find = [&] {
      Span* const span = beginning_at(process, address);
      return span != nullptr && (span->kind == kind || span->kind == other) ? span : nullptr;
    };
    const Span* const span = find();
    if (span == nullptr) return none;
    if (process.is_forbidden_by_capture()) return cudaErrorStreamCaptureUnsupported;
    cudaError_t code = cudaSuccess;
    const int number = span->gpu;
    for (const auto& gpu : process.gpus)
      if (number < 0 || number == gpu->number())
        if (const cudaError_t its = process.drain(lock, *gpu); its != cudaSuccess) code = its;
    Span* const left = find();  // another thread may have ended it meanwhile
    if (left == nullptr) return none;
    process.addresses.remove(*left);
    return code;
  });
}

}  // namespace

cudaError_t allocate(void** made, std::size_t bytes) {
  return call_on_gpu([&](Process& process, Gpu& gpu, Lock&) {
    if (made == nullptr) return cudaErrorInvalidValue;
    *made = nullptr;
    if (process.is_forbidden_by_capture()) return cudaErrorStreamCaptureUnsupported;
    if (bytes == 0) return cudaSuccess;
    if (bytes > left_of(process, gpu)) return cudaErrorMemoryAllocation;
    const Span* const span = process.addresses.allocate(gpu.number(), gpu.physical(), bytes);
    if (span == nullptr) return cudaErrorMemoryAllocation;
    *made = span->address();
    return cudaSuccess;
  });
}

cudaError_t free_device(void* address) { return end_span(address, SpanKind::device, SpanKind::managed, cudaErrorInvalidValue); }
cudaError_t allocate_pinned(void** made, std::size_t bytes) { return allocate_host(made, bytes, SpanKind::pinned); }
cudaError_t allocate_managed(void** made, std::size_t bytes) { return allocate_host(made, bytes, SpanKind::managed); }
cudaError_t free_pinned(void* address) { return end_span(address, SpanKind::pinned, SpanKind::pinned, cudaErrorInvalidValue); }

cudaError_t register_pinned(void* address, std::size_t bytes) {
  return call_on_gpu([&](Process& process, Gpu&, Lock&) {
    if (address == nullptr || bytes == 0) return cudaErrorInvalidValue;
    if (process.is_forbidden_by_capture()) return cudaErrorStreamCaptureUnsupported;
    const Span* const span = process.addresses.register_host(static_cast<std::byte*>(address), bytes);
    return span == nullptr ? cudaErrorHostMemoryAlreadyRegistered : cudaSuccess;
  });
}

cudaError_t unregister_pinned(void* address) {
  if (address == nullptr) return cudaErrorInvalidValue;
  return end_span(address, SpanKind::registered, SpanKind::registered, cudaErrorHostMemoryNotRegistered);
}

cudaError_t device_address(void** made, void* pinned) {
  return call_on_gpu([&](Process& process, Gpu&, Lock&) {
    const Span* const span = process.addresses.find(pinned);
    if (made == nullptr || span == nullptr || span->on_device() || span->kind == SpanKind::managed) return cudaErrorInvalidValue;
    *made = pinned;
    return cudaSuccess;
  });
}

cudaError_t memory_left(std::size_t* left, std::size_t* all) {
  return call_on_gpu([&](Process& process, const Gpu& gpu, Lock&) {
    if (left != nullptr) *left = left_of(process, gpu);
    if (all != nullptr) *all = process.config.memory_bytes();
    return cudaSuccess;
  });
}

cudaError_t range_of(std::uintptr_t* base, std::size_t* bytes, std::uintptr_t address) {
  return call_on_gpu([&](Process& process, Gpu&, Lock&) {
    const Span* const span = process.addresses.find(reinterpret_cast<const void*>(address));
    if (span == nullptr || span->kind == SpanKind::registered) return cudaErrorSymbolNotFound;
    if (base != nullptr) *base = span->base;
    if (bytes != nullptr) *bytes = span->bytes;
    return cudaSuccess;
  });
}

cudaError_t show_to_others(CUipcMemHandle* handle, std::uintptr_t address) {
  return call_on_gpu([&](Process& process, Gpu&, Lock&) {
    const Span* const span = process.addresses.find(reinterpret_cast<const void*>(address));
    if (handle == nullptr || span == nullptr || span->kind != SpanKind::device) return cudaErrorInvalidValue;
    const Token token{.process = getpid(), .fd = span->segment->fd(), .number = span->segment->facts().number};
    std::memset(handle, 0, sizeof *handle);
    std::memcpy(handle->reserved, &token, sizeof token);
    return cudaSuccess;
  });
}

cudaError_t open_of_others(std::uintptr_t* made, const CUipcMemHandle& handle) {
  return call_on_gpu([&](Process& process, Gpu& gpu, Lock&) -> cudaError_t {
    Token token, expected;
    std::memcpy(&token, handle.reserved, sizeof token);
    if (made == nullptr || token.magic != expected.magic) return cudaErrorInvalidValue;
    if (token.process == getpid()) return cudaErrorDeviceUninitialized;  // as the driver says of a process' own handles
    if (Span* const known = process.addresses.find_opened(token.number)) {
      ++known->opens;
      *made = known->base;
      return cudaSuccess;
    }
    const auto segment = Segment::open(open_of(token.process, token.fd));
    if (segment == nullptr || segment->facts().number != token.number) return cudaErrorInvalidResourceHandle;
    if (!process.config.peers && segment->facts().physical != gpu.physical()) return cudaErrorPeerAccessUnsupported;
    const Span* const span = process.addresses.show(segment, SpanKind::opened, gpu.number());
    if (span == nullptr) return cudaErrorMapBufferObjectFailed;
    *made = span->base;
    return cudaSuccess;
  });
}

cudaError_t close_of_others(std::uintptr_t address) {
  return call([&](Process& process, Lock& lock) -> cudaError_t {
    const auto* const place = reinterpret_cast<const void*>(address);
    Span* span = beginning_at(process, place);
    if (span == nullptr || span->kind != SpanKind::opened) return cudaErrorInvalidValue;
    cudaError_t code = cudaSuccess;
    if (span->opens == 1) {
      code = process.drain(lock, *process.gpus[static_cast<std::size_t>(span->gpu)]);
      span = beginning_at(process, place);  // another thread may have closed it meanwhile, or opened it once more
      if (span == nullptr || span->kind != SpanKind::opened) return cudaErrorInvalidValue;
    }
    if (--span->opens == 0) process.addresses.remove(*span);
    return code;
  });
}

}  // namespace softgpu
