// As late as the documents allow it ("API synchronization behavior").
#include "tests/softgpu/calls/copies.hpp"

#include <cstring>
#include <memory>

#include "tests/softgpu/engine/works.hpp"

namespace softgpu {
namespace {

enum class Side : std::uint8_t { pageable, pinned, managed, device };

struct End {
  bool valid = true;
  Side side = Side::pageable;
};

End end_of(Process& process, const void* address, std::size_t bytes) {
  Span* const span = process.addresses.find(address);
  if (span == nullptr) return {.valid = address != nullptr && !process.addresses.is_gone(address)};
  End end;
  end.valid = static_cast<const std::byte*>(address) - span->address() + static_cast<std::ptrdiff_t>(bytes) <=
              static_cast<std::ptrdiff_t>(span->bytes);
  end.side = span->on_device() ? Side::device : span->kind == SpanKind::managed ? Side::managed : Side::pinned;
  return end;
}

bool is_device(Side side) { return side == Side::device || side == Side::managed; }

// Whether the ends are what the caller says.
bool agree(cudaMemcpyKind kind, Side to, Side from) {
  const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
  const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
  if (kind == cudaMemcpyDefault) return true;
  // Memory that both reach may be called either.
  return (to_device ? to != Side::pageable : to != Side::device) && (from_device ? from != Side::pageable : from != Side::device);
}

struct Copy {
  Process& process;
  std::byte* to;
  const std::byte* from;
  std::size_t bytes;
  Side to_side, from_side;

  [[nodiscard]] Make make() const {
    Memory& memory = process.machine.memory;
    return [&memory, to_ = to, from_ = from, bytes_ = bytes] { return std::make_unique<CopyWork>(memory, to_, from_, bytes_); };
  }
  // The source is read now.
  [[nodiscard]] cudaError_t stage(Lock& lock, Stream& stream) const {
    auto staged = std::make_shared<std::unique_ptr<Work>>(std::make_unique<StagedCopy>(process.machine.memory, to, from, bytes));
    return process.put(lock, stream, [staged] { return std::move(*staged); }, Lateness::often);
  }
};

template <class Body>
cudaError_t with_copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t handle, Body body) {
  return call_on_stream(handle, [&](Process& process, Stream& stream, Lock& lock) -> cudaError_t {
    if (bytes == 0) return cudaSuccess;
    const End target = end_of(process, to, bytes), source = end_of(process, from, bytes);
    if (!target.valid || !source.valid) return cudaErrorInvalidValue;
    if (!agree(kind, target.side, source.side)) return cudaErrorInvalidMemcpyDirection;
    const Copy copy{process, static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes, target.side, source.side};
    return body(copy, stream, lock);
  });
}

// Until all that the stream waits for is over.
cudaError_t settle(Process& process, Lock& lock, Stream& stream) {
  return process.perform(lock, stream, [] { return std::make_unique<Passing>(); });
}

}  // namespace

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return with_copy(to, from, bytes, kind, cudaStreamLegacy, [](const Copy& its, Stream& stream, Lock& lock) -> cudaError_t {
    Process& process = its.process;
    if (process.is_forbidden_by_capture()) return cudaErrorStreamCaptureImplicit;
    if (its.from_side == Side::pageable && is_device(its.to_side)) {
      if (const cudaError_t code = settle(process, lock, stream); code != cudaSuccess) return code;
      return its.stage(lock, stream);
    }
    if (its.from_side == Side::device && its.to_side == Side::device) return process.put(lock, stream, its.make());
    return process.perform(lock, stream, its.make());
  });
}

cudaError_t copy_in_stream(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t handle) {
  return with_copy(to, from, bytes, kind, handle, [](const Copy& its, Stream& stream, Lock& lock) -> cudaError_t {
    Process& process = its.process;
    if (stream.capture) return process.put(lock, stream, its.make());
    if (!is_device(its.to_side) && !is_device(its.from_side)) return process.perform(lock, stream, its.make());
    const bool pageable = its.to_side == Side::pageable || its.from_side == Side::pageable;
    if (!pageable) return process.put(lock, stream, its.make());
    // "Might be synchronous": so it may be either.
    if (its.to_side == Side::pageable || !process.config.late) return process.perform(lock, stream, its.make());
    return its.stage(lock, stream);
  });
}

cudaError_t fill(void* to, int value, std::size_t bytes) {
  return call_on_stream(cudaStreamLegacy, [&](Process& process, Stream& stream, Lock& lock) -> cudaError_t {
    if (bytes == 0) return cudaSuccess;
    const End end = end_of(process, to, bytes);
    if (!end.valid || end.side == Side::pageable) return cudaErrorInvalidValue;
    if (process.is_forbidden_by_capture()) return cudaErrorStreamCaptureImplicit;
    Memory& memory = process.machine.memory;
    const Make make = [&memory, to, value, bytes] {
      return std::make_unique<FillWork>(memory, static_cast<std::byte*>(to), value, bytes);
    };
    return end.side == Side::device ? process.put(lock, stream, make) : process.perform(lock, stream, make);
  });
}

cudaError_t fill_in_stream(void* to, int value, std::size_t bytes, cudaStream_t handle) {
  return call_on_stream(handle, [&](Process& process, Stream& stream, Lock& lock) -> cudaError_t {
    if (bytes == 0) return cudaSuccess;
    const End end = end_of(process, to, bytes);
    if (!end.valid || end.side == Side::pageable) return cudaErrorInvalidValue;
    Memory& memory = process.machine.memory;
    return process.put(lock, stream, [&memory, to, value, bytes] {
      return std::make_unique<FillWork>(memory, static_cast<std::byte*>(to), value, bytes);
    });
  });
}

}  // namespace softgpu
