// As late as the documents allow it ("API synchronization behavior").
#include "tests/softgpu/calls/copies.hpp"

#include <memory>
#include <utility>

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
  CopyEnds ends;
  Side to_side, from_side;

  [[nodiscard]] Make make() const {
    Memory& memory = process.machine.memory;
    return [&memory, its = ends] { return std::make_unique<CopyWork>(memory, its); };
  }
  // The source is read now.
  [[nodiscard]] cudaError_t stage(Lock& lock, Stream& stream) const {
    auto staged = std::make_shared<std::unique_ptr<Work>>(std::make_unique<StagedCopy>(process.machine.memory, ends));
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
    const CopyEnds ends{.to = static_cast<std::byte*>(to),
                        .from = static_cast<const std::byte*>(from),
                        .bytes = bytes,
                        .to_known = target.side != Side::pageable,
                        .from_known = source.side != Side::pageable};
    return body(Copy{process, ends, target.side, source.side}, stream, lock);
  });
}

template <class Body>
cudaError_t with_fill(void* to, int value, std::size_t bytes, cudaStream_t handle, Body body) {
  return call_on_stream(handle, [&](Process& process, Stream& stream, Lock& lock) -> cudaError_t {
    if (bytes == 0) return cudaSuccess;
    const End end = end_of(process, to, bytes);
    if (!end.valid || end.side == Side::pageable) return cudaErrorInvalidValue;
    const Make make = [&memory = process.machine.memory, to, value, bytes] {
      return std::make_unique<FillWork>(memory, static_cast<std::byte*>(to), value, bytes);
    };
    return body(process, make, end.side, stream, lock);
  });
}

// Until all that the stream waits for is over.
cudaError_t settle(Process& process, Lock& lock, Stream& stream) { return process.perform(lock, stream, passing); }

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
  return with_fill(to, value, bytes, cudaStreamLegacy,
                   [](Process& process, const Make& make, Side side, Stream& stream, Lock& lock) -> cudaError_t {
                     if (process.is_forbidden_by_capture()) return cudaErrorStreamCaptureImplicit;
                     return side == Side::device ? process.put(lock, stream, make) : process.perform(lock, stream, make);
                   });
}

cudaError_t fill_in_stream(void* to, int value, std::size_t bytes, cudaStream_t handle) {
  return with_fill(to, value, bytes, handle, [](Process& process, const Make& make, Side, Stream& stream, Lock& lock) {
    return process.put(lock, stream, make);
  });
}

}  // namespace softgpu
