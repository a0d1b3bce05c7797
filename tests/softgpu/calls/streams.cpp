// Streams: made, asked, waited for, and what they do with values in memory.
#include "tests/softgpu/calls/streams.hpp"

#include <sched.h>

#include <memory>

#include "tests/softgpu/engine/works.hpp"

namespace softgpu {
namespace {

// Asking a stream that is captured ends its capture.
bool spoils_capture(Stream& stream) {
  if (!stream.capture) return false;
  stream.capture->invalid = true;
  return true;
}

std::byte* value_at(Process& process, std::uintptr_t address, unsigned bytes) {
  auto* const place = reinterpret_cast<std::byte*>(address);
  if (address % bytes != 0 || process.addresses.find(place) == nullptr) return nullptr;
  return place;
}

}  // namespace

cudaError_t create_stream(cudaStream_t* made, bool non_blocking) {
  return call_on_gpu([&](Process&, Gpu& gpu, Lock&) {
    if (made == nullptr) return cudaErrorInvalidValue;
    const Stream::Kind kind = non_blocking ? Stream::Kind::non_blocking : Stream::Kind::blocking;
    *made = reinterpret_cast<cudaStream_t>(gpu.create(kind));
    return cudaSuccess;
  });
}

// Also of a GPU that has failed, so that its owner can end.
cudaError_t destroy_stream(cudaStream_t handle) {
  return call([&](Process& process, Lock&) {
    Stream* const stream = process.find_stream(*process.gpus.front(), handle);
    if (handle == nullptr || stream == nullptr || stream->kind() == Stream::Kind::legacy) return cudaErrorInvalidResourceHandle;
    stream->gpu().destroy(*stream);
    return cudaSuccess;
  });
}

// Who is told "not yet" gives way: there are fewer cores than GPUs here.
cudaError_t query_stream(cudaStream_t handle) {
  return call_on_stream(handle, [&](Process& process, Stream& stream, Lock& lock) {
    if (spoils_capture(stream)) return cudaErrorStreamCaptureUnsupported;
    if (process.sees(stream.last)) return cudaSuccess;
    lock.unlock();
    sched_yield();
    return cudaErrorNotReady;
  });
}

cudaError_t await_stream(cudaStream_t handle) {
  return call_on_stream(handle, [&](Process& process, Stream& stream, Lock& lock) {
    if (spoils_capture(stream)) return cudaErrorStreamCaptureUnsupported;
    if (stream.kind() != Stream::Kind::legacy) return process.await(lock, stream.gpu(), stream.last);
    return process.perform(lock, stream, passing);
  });
}

cudaError_t await_gpu() {
  return call_on_gpu([&](Process& process, Gpu& gpu, Lock& lock) {
    for (const auto& capture : process.captures)
      if (&capture->origin->gpu() == &gpu) {
        capture->invalid = true;
        return cudaErrorStreamCaptureUnsupported;
      }
    return process.drain(lock, gpu);
  });
}

cudaError_t call_host(cudaStream_t handle, cudaHostFn_t function, void* argument) {
  return call_on_stream(handle, [&](Process& process, Stream& stream, Lock& lock) {
    if (function == nullptr) return cudaErrorInvalidValue;
    HostFunctions& functions = process.functions;
    return process.put(lock, stream,
                       [&functions, function, argument] { return std::make_unique<HostWork>(functions, function, argument); });
  });
}

cudaError_t wait_value(cudaStream_t handle, std::uintptr_t address, std::uint64_t value, unsigned bytes, unsigned flags) {
  return call_on_stream(handle, [&](Process& process, Stream& stream, Lock& lock) {
    if (!process.config.waits) return cudaErrorNotSupported;
    const std::byte* const place = value_at(process, address, bytes);
    if (place == nullptr) return cudaErrorInvalidValue;
    Memory& memory = process.machine.memory;
    return process.put(lock, stream, [&memory, place, value, bytes, flags] {
      return std::make_unique<ValueWait>(memory, place, value, bytes, flags);
    });
  });
}

cudaError_t write_value(cudaStream_t handle, std::uintptr_t address, std::uint64_t value, unsigned bytes, unsigned) {
  return call_on_stream(handle, [&](Process& process, Stream& stream, Lock& lock) {
    if (!process.config.waits) return cudaErrorNotSupported;
    std::byte* const place = value_at(process, address, bytes);
    if (place == nullptr) return cudaErrorInvalidValue;
    Memory& memory = process.machine.memory;
    return process.put(lock, stream,
                       [&memory, place, value, bytes] { return std::make_unique<ValueWrite>(memory, place, value, bytes); });
  });
}

}  // namespace softgpu
