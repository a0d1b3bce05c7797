// Everything that a process has of the software GPUs, and what calls of both interfaces have in common.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "tests/softgpu/engine/addresses.hpp"
#include "tests/softgpu/engine/engine.hpp"
#include "tests/softgpu/engine/event.hpp"
#include "tests/softgpu/engine/graph.hpp"
#include "tests/softgpu/engine/host_functions.hpp"
#include "tests/softgpu/engine/hosts.hpp"

namespace softgpu {

class Process {
 public:
  // Begins with the first call that needs a driver. Null in a child of a process that had begun: as with NVIDIA's driver, nothing
  // works there.
  [[nodiscard]] static Process* get();

  Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  Shared shared;
  const Config config;
  Machine machine;
  Addresses addresses;
  HostFunctions functions;
  std::vector<std::unique_ptr<Gpu>> gpus;  // those that are visible
  std::map<Event*, std::unique_ptr<Event>> events;
  std::map<Graph*, std::shared_ptr<Graph>> graphs;
  std::map<GraphExec*, std::shared_ptr<GraphExec>> execs;
  std::set<std::pair<const Kernel*, int>> loaded;  // and on which GPU

  // With the lock held, all of the following.
  // Null where there is none.
  [[nodiscard]] Stream* find_stream(Gpu& current, cudaStream_t handle);
  [[nodiscard]] Event* find_event(cudaEvent_t handle);

  // Into the stream, or into the capture that it is part of. Waits while the stream is full.
  cudaError_t put(Lock& lock, Stream& stream, Make make, Lateness lateness = Lateness::seldom, std::vector<SharedOp> after = {});
  // As put(), and until it is done.
  cudaError_t perform(Lock& lock, Stream& stream, Make make);
  cudaError_t await(Lock& lock, Gpu& gpu, const SharedOp& op);
  // Whether the host sees that it is done: perhaps some questions later than it could, but never that something is not done that
  // ended before what it has seen.
  [[nodiscard]] bool sees(const SharedOp& op);
  // Until all is over that is in flight on the GPU: what frees memory does.
  cudaError_t drain(Lock& lock, Gpu& gpu);

  // The first use of a kernel loads it, which may wait for all that runs.
  cudaError_t load(Lock& lock, Gpu& gpu, const Kernel& kernel);
  // Whether a capture in progress forbids calls that may wait for streams. Such a call makes it invalid.
  [[nodiscard]] bool is_forbidden_by_capture();

  std::set<std::shared_ptr<Capture>> captures;  // in progress

  // All threads of the host, as one that knows what any of them does, and what those of other processes do.
  [[nodiscard]] Actor& host();

 private:
  void saw(const Op& op);
  Draw draw_;
  Actor host_;
  Hosts hosts_;
  Op::Time seen_{};  // what ended until then is seen
  std::unique_ptr<Engine> engine_;
};

// The GPU that is current in this thread, as a number. The driver's functions need one to have been chosen.
struct Current {
  int gpu = 0;
  bool chosen = false;
};
[[nodiscard]] Current& current() noexcept;

// A call. `body` takes the process and the lock, which is held.
template <class Body>
cudaError_t call(Body body) {
  if (HostFunctions::is_within()) return cudaErrorNotPermitted;
  Process* const process = Process::get();
  if (process == nullptr) return cudaErrorInitializationError;
  if (process->gpus.empty()) return cudaErrorNoDevice;
  Lock lock = lock_of(process->shared);
  return body(*process, lock);
}

// A call that needs a GPU that works. `body` takes the process, the current GPU and the lock.
template <class Body>
cudaError_t call_on_gpu(Body body) {
  return call([&](Process& process, Lock& lock) -> cudaError_t {
    current().chosen = true;
    Gpu& gpu = *process.gpus[static_cast<std::size_t>(current().gpu)];
    if (gpu.failure()) return gpu.failure()->code;
    return body(process, gpu, lock);
  });
}

// A call on a stream: `body` takes the process, the stream and the lock.
template <class Body>
cudaError_t call_on_stream(cudaStream_t handle, Body body) {
  return call_on_gpu([&](Process& process, Gpu& gpu, Lock& lock) -> cudaError_t {
    Stream* const stream = process.find_stream(gpu, handle);
    if (stream == nullptr) return cudaErrorInvalidResourceHandle;
    if (stream->gpu().failure()) return stream->gpu().failure()->code;
    return body(process, *stream, lock);
  });
}

}  // namespace softgpu
