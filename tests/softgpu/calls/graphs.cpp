// What a capture may not do ends it: it is told when it ends, as CUDA does.
#include "tests/softgpu/calls/graphs.hpp"

#include <memory>
#include <utility>

#include "tests/softgpu/engine/works.hpp"

namespace softgpu {
namespace {

std::shared_ptr<GraphExec> find(Process& process, cudaGraphExec_t handle) {
  const auto found = process.execs.find(reinterpret_cast<GraphExec*>(handle));
  return found == process.execs.end() ? nullptr : found->second;
}

}  // namespace

cudaError_t begin_capture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return call_on_stream(handle, [&](Process& process, Stream& stream, Lock&) {
    if (stream.kind() == Stream::Kind::legacy) return cudaErrorStreamCaptureUnsupported;
    if (stream.capture) return cudaErrorIllegalState;
    auto capture = std::make_shared<Capture>();
    capture->origin = &stream;
    capture->mode = mode;
    capture->thread = std::this_thread::get_id();
    stream.capture = capture;
    process.captures.insert(std::move(capture));
    return cudaSuccess;
  });
}

cudaError_t end_capture(cudaStream_t handle, cudaGraph_t* made) {
  return call_on_stream(handle, [&](Process& process, Stream& stream, Lock&) {
    if (made != nullptr) *made = nullptr;
    const std::shared_ptr<Capture> capture = stream.capture;
    if (!capture) return cudaErrorIllegalState;
    if (capture->origin != &stream) return cudaErrorStreamCaptureUnmatched;
    if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id())
      return cudaErrorStreamCaptureWrongThread;
    process.captures.erase(capture);
    for (const auto& [other, tips] : capture->tips)
      if (Stream* const its = process.find_stream(stream.gpu(), reinterpret_cast<cudaStream_t>(const_cast<Stream*>(other))))
        its->capture.reset();
    stream.capture.reset();
    if (capture->invalid) return cudaErrorStreamCaptureInvalidated;
    if (!capture->is_joined()) return cudaErrorStreamCaptureUnjoined;
    if (made == nullptr) return cudaErrorInvalidValue;
    *made = reinterpret_cast<cudaGraph_t>(capture->graph.get());
    process.graphs.emplace(capture->graph.get(), capture->graph);
    return cudaSuccess;
  });
}

// Loads the kernels of the graph, which may wait for all that runs.
cudaError_t instantiate(cudaGraphExec_t* made, cudaGraph_t handle) {
  return call_on_gpu([&](Process& process, Gpu& gpu, Lock& lock) -> cudaError_t {
    const auto found = process.graphs.find(reinterpret_cast<Graph*>(handle));
    if (made == nullptr || found == process.graphs.end()) return cudaErrorInvalidValue;
    auto exec = std::make_shared<GraphExec>();
    exec->graph = std::make_shared<const Graph>(*found->second);
    exec->actors = std::make_shared<GraphWork::Actors>();
    for (std::size_t node = 0; node < exec->graph->nodes.size(); ++node)
      exec->actors->push_back(std::make_unique<Actor>(process.machine.world));
    *made = reinterpret_cast<cudaGraphExec_t>(exec.get());
    process.execs.emplace(exec.get(), exec);
    return process.config.late ? process.drain(lock, gpu) : cudaSuccess;
  });
}

cudaError_t upload(cudaGraphExec_t handle, cudaStream_t where) {
  return call_on_stream(where, [&](Process& process, Stream& stream, Lock& lock) -> cudaError_t {
    if (find(process, handle) == nullptr) return cudaErrorInvalidValue;
    if (stream.capture) return cudaErrorStreamCaptureUnsupported;
    return process.put(lock, stream, passing);
  });
}

cudaError_t launch_graph(cudaGraphExec_t handle, cudaStream_t where) {
  return call_on_stream(where, [&](Process& process, Stream& stream, Lock& lock) -> cudaError_t {
    const std::shared_ptr<GraphExec> exec = find(process, handle);
    if (exec == nullptr) return cudaErrorInvalidValue;
    if (stream.capture) return cudaErrorStreamCaptureUnsupported;
    std::vector<SharedOp> after;
    if (exec->last) after.push_back(exec->last);
    const cudaError_t code = process.put(
        lock, stream, [exec] { return std::make_unique<GraphWork>(exec->graph, exec->actors); }, Lateness::seldom,
        std::move(after));
    exec->last = stream.last;
    return code;
  });
}

cudaError_t destroy_graph(cudaGraph_t handle) {
  return call([&](Process& process, Lock&) {
    return process.graphs.erase(reinterpret_cast<Graph*>(handle)) == 0 ? cudaErrorInvalidValue : cudaSuccess;
  });
}

// A launch in progress goes on.
cudaError_t destroy_exec(cudaGraphExec_t handle) {
  return call([&](Process& process, Lock&) {
    return process.execs.erase(reinterpret_cast<GraphExec*>(handle)) == 0 ? cudaErrorInvalidValue : cudaSuccess;
  });
}

}  // namespace softgpu
