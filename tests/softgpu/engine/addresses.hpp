// What lies at which address of this process: memory of GPUs, of other processes, and of the host that GPUs reach.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>

#include "tests/softgpu/engine/draw.hpp"
#include "tests/softgpu/engine/machine.hpp"
#include "tests/softgpu/engine/segment.hpp"

namespace softgpu {

enum class SpanKind : std::uint8_t {
  device,      // cudaMalloc
  opened,      // of another process, by a handle
  mapped,      // cuMemMap
  pinned,      // cudaHostAlloc
  registered,  // cudaHostRegister
  managed,     // cudaMallocManaged
};

struct Span {
  std::uintptr_t base = 0;
  std::size_t bytes = 0;
  SpanKind kind = SpanKind::device;
  int gpu = -1;                           // as this process counts; -1: the host
  std::shared_ptr<Segment> segment = {};  // of device, opened and mapped
  Mapped space = {}, shadow = {};         // addresses held
  unsigned opens = 1;                     // times that it was opened

  [[nodiscard]] bool on_device() const { return segment != nullptr; }
  [[nodiscard]] std::byte* address() const { return reinterpret_cast<std::byte*>(base); }
};

// Guarded by the lock of the process.
class Addresses {
 public:
  Addresses(Machine& machine, std::uint64_t seed) : machine_(machine), draw_(seed * 4001) {}

  // Memory whose contents nobody promises. Null when there is none left.
  Span* allocate(int gpu, int physical, std::size_t bytes);
  // Of the host, whose contents nobody promises either.
  Span* allocate_host(SpanKind kind, std::size_t bytes);
  // Null when part of it is registered already.
  Span* register_host(std::byte* address, std::size_t bytes);
  // Shows a segment at addresses of its own, or at `place`, which is reserved.
  Span* show(const std::shared_ptr<Segment>& segment, SpanKind kind, int gpu, std::byte* place = nullptr);

  // The one that holds the address; null when none does.
  [[nodiscard]] Span* find(const void* address);
  // Whether it was memory of a GPU, or pinned, and is no more.
  [[nodiscard]] bool is_gone(const void* address) const;
  // The one that shows the segment of this number by a handle.
  [[nodiscard]] Span* find_opened(std::uint64_t number);
  // Takes it away. What was memory of this process is freed for all.
  void remove(Span& span);

  [[nodiscard]] std::size_t used(int gpu) const;

 private:
  Span* add(Span span, bool tracked, const char* call);
  Machine& machine_;
  Draw draw_;
  std::map<std::uintptr_t, Span> spans_;  // by base
  std::deque<Span> gone_;                 // their addresses are not given to others yet, so that who uses them is found
  std::uint64_t made_ = 0;
};

}  // namespace softgpu
