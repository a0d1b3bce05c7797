// Streams, events and graphs of the runtime.
#include <cuda_runtime_api.h>

#include "tests/softgpu/calls/events.hpp"
#include "tests/softgpu/calls/graphs.hpp"
#include "tests/softgpu/calls/streams.hpp"
#include "tests/softgpu/runtime/last_error.hpp"

using softgpu::note;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* made) { return note(softgpu::create_stream(made, false)); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* made, unsigned flags) {
  return note(softgpu::create_stream(made, (flags & cudaStreamNonBlocking) != 0));
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return note(softgpu::destroy_stream(stream)); }
cudaError_t cudaStreamQuery(cudaStream_t stream) { return note(softgpu::query_stream(stream)); }
cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return note(softgpu::await_stream(stream)); }
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* argument) {
  return note(softgpu::call_host(stream, function, argument));
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* made, unsigned flags) {
  return note(softgpu::create_event(made, (flags & cudaEventDisableTiming) == 0));
}
cudaError_t cudaEventDestroy(cudaEvent_t event) { return note(softgpu::destroy_event(event)); }
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) { return note(softgpu::record_event(event, stream)); }
cudaError_t cudaEventQuery(cudaEvent_t event) { return note(softgpu::query_event(event)); }
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return note(softgpu::elapsed_between(milliseconds, begin, end));
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return note(softgpu::make_wait(stream, event));
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return note(softgpu::begin_capture(stream, mode));
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* made) { return note(softgpu::end_capture(stream, made)); }
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
  return note(softgpu::instantiate(made, graph));
}
cudaError_t cudaGraphUpload(cudaGraphExec_t graph, cudaStream_t stream) { return note(softgpu::upload(graph, stream)); }
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) { return note(softgpu::launch_graph(graph, stream)); }
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return note(softgpu::destroy_graph(graph)); }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) { return note(softgpu::destroy_exec(graph)); }

}  // extern "C"
