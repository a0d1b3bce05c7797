// Events: places in streams, or in captures.
#include "tests/softgpu/calls/events.hpp"

#include <sched.h>

#include <chrono>
#include <memory>

#include "tests/softgpu/engine/works.hpp"

namespace softgpu {
namespace {

template <class Body>
cudaError_t call_on_event(cudaEvent_t handle, Body body) {
  return call([&](Process& process, Lock& lock) -> cudaError_t {
    Event* const event = process.find_event(handle);
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    if (event->gpu->failure()) return event->gpu->failure()->code;
    return body(process, *event, lock);
  });
}

// A stream that waits for an event of a capture joins the capture.
cudaError_t join(Stream& stream, const Event& event) {
  if (stream.capture && stream.capture != event.capture) return cudaErrorStreamCaptureMerge;
  if (event.capture->invalid) return cudaErrorStreamCaptureInvalidated;
  if (stream.kind() == Stream::Kind::legacy) return cudaErrorStreamCaptureImplicit;
  stream.capture = event.capture;
  event.capture->tips[&stream].insert(event.tips.begin(), event.tips.end());
  return cudaSuccess;
}

}  // namespace

cudaError_t create_event(cudaEvent_t* made, bool timed) {
  return call_on_gpu([&](Process& process, Gpu& gpu, Lock&) {
    if (made == nullptr) return cudaErrorInvalidValue;
    auto event = std::make_unique<Event>(Event{.gpu = &gpu, .timed = timed});
    *made = reinterpret_cast<cudaEvent_t>(event.get());
    process.events.emplace(event.get(), std::move(event));
    return cudaSuccess;
  });
}

cudaError_t destroy_event(cudaEvent_t handle) {
  return call([&](Process& process, Lock&) {
    return process.events.erase(reinterpret_cast<Event*>(handle)) == 0 ? cudaErrorInvalidResourceHandle : cudaSuccess;
  });
}

cudaError_t record_event(cudaEvent_t handle, cudaStream_t where) {
  return call_on_stream(where, [&](Process& process, Stream& stream, Lock& lock) {
    Event* event = process.find_event(handle);
    if (event == nullptr || event->gpu != &stream.gpu()) return cudaErrorInvalidResourceHandle;
    if (stream.capture) {
      event->capture = stream.capture;
      event->tips = stream.capture->tips[&stream];
      return stream.capture->invalid ? cudaErrorStreamCaptureInvalidated : cudaSuccess;
    }
    const cudaError_t code = process.put(lock, stream, passing);
    event = process.find_event(handle);  // another thread may have destroyed it while the stream was full
    if (code != cudaSuccess || event == nullptr) return code;
    event->capture.reset();
    event->recorded = stream.last;
    return cudaSuccess;
  });
}

cudaError_t query_event(cudaEvent_t handle) {
  return call_on_event(handle, [&](Process& process, Event& event, Lock& lock) {
    if (event.capture) return cudaErrorCapturedEvent;
    if (process.is_forbidden_by_capture()) return cudaErrorStreamCaptureUnsupported;
    if (process.sees(event.recorded)) return cudaSuccess;
    lock.unlock();
    sched_yield();
    return cudaErrorNotReady;
  });
}

cudaError_t elapsed_between(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return call_on_event(begin, [&](Process& process, const Event& first, Lock&) {
    const Event* const second = process.find_event(end);
    if (second == nullptr || !first.timed || !second->timed) return cudaErrorInvalidResourceHandle;
    if (milliseconds == nullptr) return cudaErrorInvalidValue;
    if (!first.recorded || !second->recorded || first.gpu != second->gpu) return cudaErrorInvalidResourceHandle;
    if (!first.recorded->done || !second->recorded->done) return cudaErrorNotReady;
    const std::chrono::duration<float, std::milli> time = second->recorded->ended - first.recorded->ended;
    *milliseconds = time.count();
    return cudaSuccess;
  });
}

cudaError_t make_wait(cudaStream_t handle, cudaEvent_t what) {
  return call_on_stream(handle, [&](Process& process, Stream& stream, Lock& lock) {
    const Event* const event = process.find_event(what);
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    if (event->capture) return join(stream, *event);
    if (stream.capture) {
      stream.capture->invalid = true;
      return cudaErrorStreamCaptureIsolation;
    }
    if (!event->recorded) return cudaSuccess;
    return process.put(lock, stream, passing, Lateness::seldom, {event->recorded});
  });
}

}  // namespace softgpu
