// Streams: order within one, none between two that do not wait for each other, and what calls wait for.
#include <vector>

#include "tests/softgpu/runtime_tests/gpu.hpp"
#include "tests/softgpu/runtime_tests/kernels.hpp"

namespace softgpu::test {
namespace {

constexpr std::size_t count = 4096;

// How often a stream did not see what a pageable copy of the legacy stream brought just before.
int missed(unsigned flags, int rounds) {
  const DeviceWords table = words(count), seen = words(count);
  const Stream other = stream(flags);
  int misses = 0;
  for (int round = 1; round <= rounds; ++round) {
    const std::vector<std::uint64_t> rows(count, static_cast<std::uint64_t>(round));
    ok(cudaMemcpy(table.get(), rows.data(), count * sizeof(std::uint64_t), cudaMemcpyHostToDevice));
    ok(cudaMemcpyAsync(seen.get(), table.get(), count * sizeof(std::uint64_t), cudaMemcpyDeviceToDevice, other.get()));
    ok(cudaDeviceSynchronize());
    if (get(seen.get() + count - 1) != static_cast<std::uint64_t>(round)) ++misses;
  }
  return misses;
}

}  // namespace

TEST_CASE("softgpu: a pageable copy that has returned may arrive after what a non-blocking stream does next") {
  configure("gpus=1,strict=0");
  CHECK(missed(cudaStreamNonBlocking, 60) > 0);
}

TEST_CASE("softgpu: a blocking stream comes after the legacy stream") {
  configure("gpus=1");
  CHECK(missed(cudaStreamDefault, 60) == 0);
}

TEST_CASE("softgpu: two streams that do not wait for each other race, which ends the GPU's work") {
  configure("gpus=1");
  const DeviceWords word = words(1);
  put(word.get(), 0);
  const Stream one = stream(), other = stream();
  ok(add(word.get(), 1, one.get()));
  ok(add(word.get(), 1, other.get()));
  const cudaError_t code = cudaDeviceSynchronize();
  CHECK(code == cudaErrorLaunchFailure);
  // For good.
  CHECK(cudaDeviceSynchronize() == code);
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, 8) == code);
  CHECK(cudaGetLastError() == code);
}

TEST_CASE("softgpu: what is found once more fails the GPU that does it") {
  configure("gpus=2");
  for (const int gpu : {0, 1}) {
    ok(cudaSetDevice(gpu));
    const DeviceWords word = words(1);
    put(word.get(), 0);
    const Stream one = stream(), other = stream();
    ok(add(word.get(), 1, one.get()));
    ok(add(word.get(), 1, other.get()));
    CHECK(cudaDeviceSynchronize() == cudaErrorLaunchFailure);
  }
  (void)cudaGetLastError();
}

TEST_CASE("softgpu: kernels are not checked where that is not asked for") {
  configure("gpus=1,checked=0");
  const DeviceWords word = words(1);
  put(word.get(), 0);
  const Stream one = stream(), other = stream();
  ok(add(word.get(), 1, one.get()));
  ok(add(word.get(), 1, other.get()));
  ok(cudaDeviceSynchronize());
}

TEST_CASE("softgpu: there are GPUs whose streams cannot wait for values") {
  configure("gpus=1,waits=0");
  const DeviceWords word = words(1);
  const auto address = reinterpret_cast<CUdeviceptr>(word.get());
  const Stream one = stream();
  int can = 1;
  ok(cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, 0));
  CHECK(can == 0);
  CHECK(cuStreamWaitValue64(one.get(), address, 1, CU_STREAM_WAIT_VALUE_GEQ) == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(cuStreamWriteValue64(one.get(), address, 1, CU_STREAM_WRITE_VALUE_DEFAULT) == CUDA_ERROR_NOT_SUPPORTED);
}

TEST_CASE("softgpu: an event orders two streams") {
  configure("gpus=1");
  const DeviceWords word = words(1);
  put(word.get(), 0);
  const Stream one = stream(), other = stream();
  const Event between = event(cudaEventDisableTiming);
  for (int round = 0; round < 50; ++round) {
    ok(add(word.get(), 1, one.get()));
    ok(cudaEventRecord(between.get(), one.get()));
    ok(cudaStreamWaitEvent(other.get(), between.get(), 0));
    ok(add(word.get(), 1, other.get()));
    ok(cudaEventRecord(between.get(), other.get()));
    ok(cudaStreamWaitEvent(one.get(), between.get(), 0));
  }
  ok(cudaDeviceSynchronize());
  CHECK(get(word.get()) == 100);
}

TEST_CASE("softgpu: a call on a full stream waits until something of it is done") {
  configure("gpus=1,queue=4,late=0");
  const DeviceWords word = words(1);
  put(word.get(), 0);
  const Stream full = stream();
  Gate gate;
  gate.close_in(full.get());
  std::atomic<int> put_in{0};
  int when_opened = 0;
  std::thread caller([&] {
    for (int i = 0; i < 20; ++i) {
      ok(cudaMemsetAsync(word.get(), i, sizeof(std::uint64_t), full.get()));
      ++put_in;
    }
  });
  while (put_in < 3) std::this_thread::yield();
  linger();
  when_opened = put_in;
  gate.open();
  caller.join();
  ok(cudaStreamSynchronize(full.get()));
  CHECK(when_opened == 3);
  CHECK(get(word.get()) == 0x1313131313131313U);
}

namespace {

// Whether a stream goes on while another one waits for a value: asked so often.
bool goes_on_beside_a_wait(std::uint64_t looks) {
  const DeviceWords word = words(1);
  const PinnedWords flag = pinned_words(1);
  flag[0] = 0;
  put(word.get(), 0);
  const Stream waiting = stream(), other = stream();
  ok(cuStreamWaitValue64(waiting.get(), reinterpret_cast<CUdeviceptr>(flag.get()), 1, CU_STREAM_WAIT_VALUE_GEQ));
  ok(cudaMemsetAsync(word.get(), 1, sizeof(std::uint64_t), other.get()));
  bool done = false;
  for (std::uint64_t look = 0; look < looks && !done; ++look) {
    std::this_thread::yield();
    done = cudaStreamQuery(other.get()) == cudaSuccess;
  }
  CHECK(cudaStreamQuery(waiting.get()) == cudaErrorNotReady);
  std::atomic_ref(flag[0]).store(1);
  ok(cudaDeviceSynchronize());
  return done;
}

}  // namespace

TEST_CASE("softgpu: a wait keeps waiting what shares its hardware queue") {
  configure("gpus=1,connections=1");
  CHECK_FALSE(goes_on_beside_a_wait(20'000));
}

TEST_CASE("softgpu: a wait leaves other hardware queues alone") {
  configure("gpus=1,connections=8");
  CHECK(goes_on_beside_a_wait(~std::uint64_t{0}));
}

TEST_CASE("softgpu: what is done is not always seen at once, and never forgotten once it is seen") {
  configure("gpus=1");
  const DeviceWords word = words(1);
  const Stream one = stream();
  const Event first = event(cudaEventDisableTiming), second = event(cudaEventDisableTiming);
  int late = 0;
  for (int round = 0; round < 100; ++round) {
    Gate passed;
    ok(cudaMemsetAsync(word.get(), 1, sizeof(std::uint64_t), one.get()));
    ok(cudaEventRecord(first.get(), one.get()));
    ok(cudaEventRecord(second.get(), one.get()));
    std::atomic<bool> done{false};
    ok(cudaLaunchHostFunc(one.get(), [](void* its) { static_cast<std::atomic<bool>*>(its)->store(true); }, &done));
    while (!done) std::this_thread::yield();
    // Both events are passed.
    while (cudaEventQuery(second.get()) == cudaErrorNotReady) ++late;
    CHECK(cudaEventQuery(first.get()) == cudaSuccess);
    CHECK(cudaEventQuery(second.get()) == cudaSuccess);
    ok(cudaStreamSynchronize(one.get()));
    CHECK(cudaStreamQuery(one.get()) == cudaSuccess);
  }
  CHECK(late > 0);
}

TEST_CASE("softgpu: events tell time where they are asked to, and only what is over") {
  configure("gpus=1");
  const Stream one = stream();
  const Event begin = event(), end = event(), untimed = event(cudaEventDisableTiming);
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()) == cudaErrorInvalidResourceHandle);
  Gate gate;
  ok(cudaEventRecord(begin.get(), one.get()));
  gate.close_in(one.get());
  ok(cudaEventRecord(end.get(), one.get()));
  ok(cudaEventRecord(untimed.get(), one.get()));
  CHECK(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()) == cudaErrorNotReady);
  gate.open();
  ok(cudaStreamSynchronize(one.get()));
  ok(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()));
  CHECK(milliseconds > 0);
  CHECK(cudaEventElapsedTime(&milliseconds, begin.get(), untimed.get()) == cudaErrorInvalidResourceHandle);
  (void)cudaGetLastError();
}

TEST_CASE("softgpu: functions of the host may not call CUDA") {
  configure("gpus=1");
  const Stream one = stream();
  cudaError_t said = cudaSuccess;
  ok(cudaLaunchHostFunc(one.get(), [](void* its) { *static_cast<cudaError_t*>(its) = cudaDeviceSynchronize(); }, &said));
  ok(cudaStreamSynchronize(one.get()));
  CHECK(said == cudaErrorNotPermitted);
}

}  // namespace softgpu::test
