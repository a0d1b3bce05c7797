// Captures, and graphs of them.
#include "tests/softgpu/runtime_tests/gpu.hpp"
#include "tests/softgpu/runtime_tests/kernels.hpp"

namespace softgpu::test {
namespace {

struct DestroyGraph {
  void operator()(cudaGraph_t graph) const { cudaGraphDestroy(graph); }
};
struct DestroyExec {
  void operator()(cudaGraphExec_t exec) const { cudaGraphExecDestroy(exec); }
};
using Graph = std::unique_ptr<CUgraph_st, DestroyGraph>;
using Exec = std::unique_ptr<CUgraphExec_st, DestroyExec>;

Graph end_capture(cudaStream_t where) {
  cudaGraph_t made = nullptr;
  ok(cudaStreamEndCapture(where, &made));
  return Graph(made);
}
Exec instantiate(const Graph& graph) {
  cudaGraphExec_t made = nullptr;
  ok(cudaGraphInstantiate(&made, graph.get(), 0));
  return Exec(made);
}

}  // namespace

TEST_CASE("softgpu: a graph does again what was captured, in the order in which streams waited for each other") {
  configure("gpus=1");
  const DeviceWords word = words(3);
  const Stream one = stream(), other = stream();
  const Event forked = event(cudaEventDisableTiming), joined = event(cudaEventDisableTiming);
  put(word.get(), 0);
  ok(cudaStreamBeginCapture(one.get(), cudaStreamCaptureModeRelaxed));
  ok(add(word.get(), 1, one.get()));
  ok(cudaEventRecord(forked.get(), one.get()));
  ok(cudaStreamWaitEvent(other.get(), forked.get(), 0));
  ok(cudaMemcpyAsync(word.get() + 1, word.get(), sizeof(std::uint64_t), cudaMemcpyDeviceToDevice, other.get()));
  ok(cudaEventRecord(joined.get(), other.get()));
  ok(cudaStreamWaitEvent(one.get(), joined.get(), 0));
  ok(cudaMemcpyAsync(word.get() + 2, word.get() + 1, sizeof(std::uint64_t), cudaMemcpyDeviceToDevice, one.get()));
  const Graph graph = end_capture(one.get());
  const Exec exec = instantiate(graph);
  ok(cudaStreamSynchronize(one.get()));
  CHECK(get(word.get()) == 0);  // nothing was done so far
  for (std::uint64_t run = 1; run <= 30; ++run) {
    ok(cudaGraphLaunch(exec.get(), one.get()));
    if (run % 3 != 0) continue;
    ok(cudaStreamSynchronize(one.get()));
    CHECK(get(word.get() + 2) == run);
  }
}

TEST_CASE("softgpu: branches of a graph that do not wait for each other race") {
  configure("gpus=1");
  const DeviceWords word = words(1);
  const Stream one = stream(), other = stream();
  const Event forked = event(cudaEventDisableTiming), joined = event(cudaEventDisableTiming);
  put(word.get(), 0);
  ok(cudaStreamBeginCapture(one.get(), cudaStreamCaptureModeRelaxed));
  ok(cudaEventRecord(forked.get(), one.get()));
  ok(cudaStreamWaitEvent(other.get(), forked.get(), 0));
  ok(add(word.get(), 1, one.get()));
  ok(add(word.get(), 1, other.get()));
  ok(cudaEventRecord(joined.get(), other.get()));
  ok(cudaStreamWaitEvent(one.get(), joined.get(), 0));
  const Graph graph = end_capture(one.get());
  const Exec exec = instantiate(graph);
  ok(cudaGraphLaunch(exec.get(), one.get()));
  CHECK(cudaStreamSynchronize(one.get()) == cudaErrorLaunchFailure);
}

TEST_CASE("softgpu: a capture ends as CUDA's does") {
  configure("gpus=1");
  const DeviceWords word = words(1);
  const Stream one = stream(), other = stream();
  const Event forked = event(cudaEventDisableTiming);
  cudaGraph_t graph = nullptr;

  SECTION("with work that was not joined") {
    ok(cudaStreamBeginCapture(one.get(), cudaStreamCaptureModeRelaxed));
    ok(cudaEventRecord(forked.get(), one.get()));
    ok(cudaStreamWaitEvent(other.get(), forked.get(), 0));
    ok(cudaMemsetAsync(word.get(), 0, 8, other.get()));
    CHECK(cudaStreamEndCapture(one.get(), &graph) == cudaErrorStreamCaptureUnjoined);
    ok(cudaMemsetAsync(word.get(), 0, 8, other.get()));
  }
  SECTION("after a question to its stream") {
    ok(cudaStreamBeginCapture(one.get(), cudaStreamCaptureModeRelaxed));
    CHECK(cudaStreamQuery(one.get()) == cudaErrorStreamCaptureUnsupported);
    CHECK(cudaStreamEndCapture(one.get(), &graph) == cudaErrorStreamCaptureInvalidated);
  }
  SECTION("after a call that may wait, where that is forbidden") {
    ok(cudaStreamBeginCapture(one.get(), cudaStreamCaptureModeGlobal));
    void* memory = nullptr;
    CHECK(cudaMalloc(&memory, 8) == cudaErrorStreamCaptureUnsupported);
    CHECK(cudaStreamEndCapture(one.get(), &graph) == cudaErrorStreamCaptureInvalidated);
  }
  SECTION("after a wait for what is not captured") {
    ok(cudaEventRecord(forked.get(), other.get()));
    ok(cudaStreamBeginCapture(one.get(), cudaStreamCaptureModeRelaxed));
    CHECK(cudaStreamWaitEvent(one.get(), forked.get(), 0) == cudaErrorStreamCaptureIsolation);
    CHECK(cudaStreamEndCapture(one.get(), &graph) == cudaErrorStreamCaptureInvalidated);
  }
  SECTION("in another stream") {
    ok(cudaStreamBeginCapture(one.get(), cudaStreamCaptureModeRelaxed));
    CHECK(cudaStreamEndCapture(other.get(), &graph) == cudaErrorIllegalState);
    ok(cudaStreamEndCapture(one.get(), &graph));
    ok(cudaGraphDestroy(graph));
    graph = nullptr;
  }
  CHECK(graph == nullptr);
  (void)cudaGetLastError();
  ok(cudaStreamSynchronize(one.get()));
}

TEST_CASE("softgpu: events of a capture cannot be asked") {
  configure("gpus=1");
  const Stream one = stream();
  const Event inside = event(cudaEventDisableTiming);
  ok(cudaStreamBeginCapture(one.get(), cudaStreamCaptureModeRelaxed));
  ok(cudaEventRecord(inside.get(), one.get()));
  CHECK(cudaEventQuery(inside.get()) == cudaErrorCapturedEvent);
  (void)end_capture(one.get());
}

}  // namespace softgpu::test
