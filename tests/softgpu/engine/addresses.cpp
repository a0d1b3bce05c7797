// Maps, fills and forgets memory.
#include "tests/softgpu/engine/addresses.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <string>
#include <utility>

namespace softgpu {
namespace {

constexpr std::size_t small = 65536;  // up to here memory begins anywhere that cudaMalloc promises
constexpr std::size_t granule = 256;  // its alignment
constexpr std::size_t kept = 64;      // spans that are gone, and still hold their addresses

}  // namespace

Span* Addresses::add(Span span, bool tracked, const char* call) {
  const std::string label =
      std::string(call) + " #" + std::to_string(++made_) + (span.gpu < 0 ? "" : " of GPU " + std::to_string(span.gpu));
  machine_.memory.add({.base = span.base,
                       .bytes = span.bytes,
                       .label = label,
                       .shadow = span.shadow.address(),
                       .shared = span.on_device(),
                       .tracked = tracked,
                       .device = span.on_device() ? span.segment->facts().physical : -1});
  const std::uintptr_t base = span.base;
  return &spans_.insert_or_assign(base, std::move(span)).first->second;
}

Span* Addresses::allocate(int gpu, int physical, std::size_t bytes) {
  const std::size_t offset = bytes < small ? granule * draw_.below(page / granule) : 0;
  const auto segment = Segment::make({.bytes = bytes, .offset = offset, .physical = physical});
  Span* const span = segment == nullptr ? nullptr : show(segment, SpanKind::device, gpu);
  if (span != nullptr) spoil(span->address(), bytes);
  return span;
}

Span* Addresses::show(const std::shared_ptr<Segment>& segment, SpanKind kind, int gpu, std::byte* place) {
  Span span{.bytes = segment->facts().bytes, .kind = kind, .gpu = gpu, .segment = segment};
  if (place == nullptr) {
    span.space = Mapped(segment->data_bytes() + page);  // and a gap behind it
    place = span.space.address();
  }
  span.shadow = Mapped(segment->shadow_bytes(), segment->fd(), segment->data_bytes());
  if (place == nullptr || span.shadow.address() == nullptr) return nullptr;
  if (mmap(place, segment->data_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, segment->fd(), 0) == MAP_FAILED)
    return nullptr;
  span.base = reinterpret_cast<std::uintptr_t>(place) + segment->facts().offset;
  return add(std::move(span), true,
             kind == SpanKind::device   ? "cudaMalloc"
             : kind == SpanKind::mapped ? "cuMemMap"
                                        : "cuIpcOpenMemHandle");
}

Span* Addresses::allocate_host(SpanKind kind, std::size_t bytes) {
  Span span{.bytes = bytes, .kind = kind};
  span.space = Mapped(whole_pages(bytes) + page);
  if (span.space.address() == nullptr) return nullptr;
  if (mprotect(span.space.address(), whole_pages(bytes), PROT_READ | PROT_WRITE) != 0) return nullptr;
  span.base = reinterpret_cast<std::uintptr_t>(span.space.address());
  spoil(span.address(), bytes);
  return add(std::move(span), false, kind == SpanKind::managed ? "cudaMallocManaged" : "cudaHostAlloc");
}

Span* Addresses::register_host(std::byte* address, std::size_t bytes) {
  const auto base = reinterpret_cast<std::uintptr_t>(address);
  const auto next = spans_.lower_bound(base + bytes);
  if (next != spans_.begin() && std::prev(next)->second.base + std::prev(next)->second.bytes > base) return nullptr;
  return add({.base = base, .bytes = bytes, .kind = SpanKind::registered}, false, "cudaHostRegister");
}

Span* Addresses::find(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto next = spans_.upper_bound(at);
  if (next == spans_.begin()) return nullptr;
  Span& span = std::prev(next)->second;
  return at - span.base < span.bytes ? &span : nullptr;
}

bool Addresses::is_gone(const void* address) const {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  return std::any_of(gone_.begin(), gone_.end(),
                     [&](const Span& span) { return at >= span.base && at - span.base < span.bytes; });
}

Span* Addresses::find_opened(std::uint64_t number) {
  for (auto& [base, span] : spans_)
    if (span.kind == SpanKind::opened && span.segment->facts().number == number) return &span;
  return nullptr;
}

void Addresses::remove(Span& span) {
  if (span.kind == SpanKind::device)
    machine_.memory.free(span.base);
  else
    machine_.memory.forget(span.base);
  auto node = spans_.extract(span.base);
  Span& its = node.mapped();
  if (its.kind == SpanKind::registered) return;
  const std::size_t bytes = its.segment ? its.segment->data_bytes() : its.space.bytes();
  std::byte* const first = its.segment ? its.address() - its.segment->facts().offset : its.space.address();
  mmap(first, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  its.segment.reset();
  if (its.kind == SpanKind::mapped) return;  // whose addresses are somebody else's
  gone_.push_back(std::move(its));
  if (gone_.size() <= kept) return;
  if (gone_.front().kind == SpanKind::device) machine_.memory.forget(gone_.front().base);
  gone_.pop_front();
}

std::size_t Addresses::used(int gpu) const {
  std::size_t sum = 0;
  for (const auto& [base, span] : spans_)
    if (span.kind == SpanKind::device && span.gpu == gpu) sum += span.bytes;
  return sum;
}

}  // namespace softgpu
