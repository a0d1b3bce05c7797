// Several processes, and memory that they share.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include "tests/softgpu/engine/descriptors.hpp"
#include "tests/softgpu/runtime_tests/gpu.hpp"
#include "tests/softgpu/runtime_tests/kernels.hpp"

namespace softgpu::test {
namespace {

// How a child ends, beside the numbers that tests give its calls.
constexpr int gpu_failed = 90, threw = 97, sent_nothing = 98, received_nothing = 99;

// A process forked before this one begins to use CUDA, and a pipe from and to it.
class Child {
 public:
  // `life` returns what went wrong: 0 when nothing did.
  explicit Child(const std::function<int(int from, int to)>& life) {
    int down[2], up[2];
    if (pipe(down) != 0 || pipe(up) != 0) FAIL("pipe");
    Descriptor from_parent(down[0]), to_parent(up[1]);
    to_ = Descriptor(down[1]);
    from_ = Descriptor(up[0]);
    process_ = fork();
    if (process_ != 0) return;
    to_.close();
    from_.close();
    alarm(60);
    try {
      _exit(life(from_parent.get(), to_parent.get()));
    } catch (...) { _exit(threw); }
  }
  template <class Word>
  void send(const Word& word) const {
    CHECK(write(to_.get(), &word, sizeof word) == static_cast<ssize_t>(sizeof word));
  }
  template <class Word>
  Word receive() const {
    Word word{};
    CHECK(read(from_.get(), &word, sizeof word) == static_cast<ssize_t>(sizeof word));
    return word;
  }
  // All that it sends until it ends.
  [[nodiscard]] std::string said() const {
    std::string text;
    char buffer[4096];
    for (ssize_t got; (got = read(from_.get(), buffer, sizeof buffer)) > 0;) text.append(buffer, static_cast<std::size_t>(got));
    return text;
  }
  [[nodiscard]] pid_t process() const { return process_; }
  [[nodiscard]] int end() const {
    int status = 0;
    waitpid(process_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  pid_t process_ = -1;
  Descriptor to_, from_;
};

template <class Word>
Word receive(int from) {
  Word word{};
  if (read(from, &word, sizeof word) != static_cast<ssize_t>(sizeof word)) _exit(received_nothing);
  return word;
}
template <class Word>
void send(int to, const Word& word) {
  if (write(to, &word, sizeof word) != static_cast<ssize_t>(sizeof word)) _exit(sent_nothing);
}

std::uint64_t* words_at(CUdeviceptr address) { return reinterpret_cast<std::uint64_t*>(static_cast<std::uintptr_t>(address)); }

// Reads what lies there, doubles it in place, by a kernel of this process' GPU. Whichever call is the first to be told of a
// failure: gpu_failed.
int double_it(CUdeviceptr address) {
  const DeviceWords copy = words(1);
  const Stream one = stream();
  const bool went_well = cudaMemcpyAsync(copy.get(), words_at(address), 8, cudaMemcpyDefault, one.get()) == cudaSuccess &&
                         twice(copy.get(), words_at(address), 1, one.get()) == cudaSuccess &&
                         cudaStreamSynchronize(one.get()) == cudaSuccess;
  return went_well ? 0 : gpu_failed;
}

}  // namespace

// What the child did is known to be over by a flag in memory of both: pipes tell the machine nothing.
TEST_CASE("softgpu: a handle opens memory of another process, and a wait in a stream orders the two") {
  configure("gpus=2");
  const Child child([](int from, int to) {
    const auto handle = receive<CUipcMemHandle>(from);
    if (cudaSetDevice(1) != cudaSuccess) return 1;
    CUdeviceptr memory = 0, again = 0;
    if (cuIpcOpenMemHandle(&memory, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) != CUDA_SUCCESS) return 2;
    if (cuIpcOpenMemHandle(&again, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) != CUDA_SUCCESS || again != memory) return 3;
    const Stream one = stream();
    if (cuStreamWaitValue64(one.get(), memory + 8, 1, CU_STREAM_WAIT_VALUE_GEQ) != CUDA_SUCCESS) return 4;
    if (cudaStreamSynchronize(one.get()) != cudaSuccess) return 5;
    if (const int wrong = double_it(memory); wrong != 0) return wrong;
    if (cuStreamWriteValue64(one.get(), memory + 16, 1, CU_STREAM_WRITE_VALUE_DEFAULT) != CUDA_SUCCESS) return 6;
    if (cudaStreamSynchronize(one.get()) != cudaSuccess) return 7;
    send(to, 1);
    if (cuIpcCloseMemHandle(memory) != CUDA_SUCCESS || cuIpcCloseMemHandle(memory) != CUDA_SUCCESS) return 8;
    return cuIpcCloseMemHandle(memory) == CUDA_ERROR_INVALID_VALUE ? 0 : 9;
  });
  ok(cudaSetDevice(0));
  const DeviceWords memory = words(3);
  ok(cudaMemset(memory.get(), 0, 24));
  put(memory.get(), 21);
  CUipcMemHandle handle;
  ok(cuIpcGetMemHandle(&handle, reinterpret_cast<CUdeviceptr>(memory.get())));
  CUdeviceptr own = 0;
  CHECK(cuIpcOpenMemHandle(&own, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) != CUDA_SUCCESS);
  child.send(handle);
  const Stream one = stream();
  const auto base = reinterpret_cast<CUdeviceptr>(memory.get());
  ok(cuStreamWriteValue64(one.get(), base + 8, 1, CU_STREAM_WRITE_VALUE_DEFAULT));
  ok(cuStreamWaitValue64(one.get(), base + 16, 1, CU_STREAM_WAIT_VALUE_GEQ));
  std::uint64_t got = 0;
  ok(cudaMemcpyAsync(&got, memory.get(), 8, cudaMemcpyDeviceToHost, one.get()));
  ok(cudaStreamSynchronize(one.get()));
  CHECK(got == 42);
  CHECK(child.receive<int>() == 1);
  CHECK(child.end() == 0);
}

TEST_CASE("softgpu: memory of cuMemCreate goes to another process by a descriptor") {
  configure("gpus=2");
  const Child child([](int from, int) {
    const int fd = receive<int>(from);
    if (cudaSetDevice(1) != cudaSuccess) return 1;
    CUmemGenericAllocationHandle handle = 0;
    CUdeviceptr memory = 0;
    constexpr std::size_t bytes = std::size_t{2} << 20;
    // Under the number that the parent's has: inherited by neither, so taken from its folder.
    Descriptor file = open_of(getppid(), fd);
    if (file.get() < 0) return 2;
    const auto number = reinterpret_cast<void*>(static_cast<std::intptr_t>(file.get()));
    if (cuMemImportFromShareableHandle(&handle, number, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != CUDA_SUCCESS) return 3;
    file.close();
    if (cuMemAddressReserve(&memory, bytes, 0, 0, 0) != CUDA_SUCCESS) return 4;
    if (cuMemMap(memory, bytes, 0, handle, 0) != CUDA_SUCCESS) return 5;
    CUmemAccessDesc access{};
    access.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 1};
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    if (cuMemSetAccess(memory, bytes, &access, 1) != CUDA_SUCCESS) return 6;
    if (cuMemRelease(handle) != CUDA_SUCCESS) return 7;
    const Stream one = stream();
    if (cuStreamWaitValue64(one.get(), memory + 8, 1, CU_STREAM_WAIT_VALUE_GEQ) != CUDA_SUCCESS) return 8;
    std::uint64_t got = 0;
    if (cudaMemcpyAsync(&got, words_at(memory), 8, cudaMemcpyDeviceToHost, one.get()) != cudaSuccess) return 9;
    if (cudaStreamSynchronize(one.get()) != cudaSuccess) return 10;
    if (cuMemUnmap(memory, bytes) != CUDA_SUCCESS || cuMemAddressFree(memory, bytes) != CUDA_SUCCESS) return 11;
    return got == 4711 ? 0 : 12;
  });
  ok(cudaSetDevice(0));
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  std::size_t bytes = 0;
  ok(cuMemGetAllocationGranularity(&bytes, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
  CUmemGenericAllocationHandle handle = 0;
  CHECK(cuMemCreate(&handle, bytes - 1, &properties, 0) == CUDA_ERROR_INVALID_VALUE);
  ok(cuMemCreate(&handle, bytes, &properties, 0));
  CUdeviceptr memory = 0;
  ok(cuMemAddressReserve(&memory, bytes, 0, 0, 0));
  ok(cuMemMap(memory, bytes, 0, handle, 0));
  const Stream one = stream();
  // Nothing may touch it before it is allowed.
  CHECK(cudaMemsetAsync(words_at(memory), 0, 16, one.get()) == cudaErrorInvalidValue);
  CUmemAccessDesc access{};
  access.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  ok(cuMemSetAccess(memory, bytes, &access, 1));
  ok(cudaMemsetAsync(words_at(memory), 0, 16, one.get()));
  ok(add(words_at(memory), 4711, one.get()));
  ok(cudaStreamSynchronize(one.get()));
  int fd = -1;
  ok(cuMemExportToShareableHandle(&fd, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
  const Descriptor exported(fd);
  ok(cuMemRelease(handle));
  child.send(fd);
  ok(cuStreamWriteValue64(one.get(), memory + 8, 1, CU_STREAM_WRITE_VALUE_DEFAULT));
  CHECK(child.end() == 0);
  (void)cudaGetLastError();
}

TEST_CASE("softgpu: a process that uses another's memory without waiting for it is found") {
  configure("gpus=2");
  const Child child([](int from, int) {
    const auto handle = receive<CUipcMemHandle>(from);
    CUdeviceptr memory = 0;
    if (cudaSetDevice(1) != cudaSuccess) return 1;
    if (cuIpcOpenMemHandle(&memory, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) != CUDA_SUCCESS) return 2;
    return double_it(memory);
  });
  ok(cudaSetDevice(0));
  const DeviceWords memory = words(1);
  put(memory.get(), 20);
  CUipcMemHandle handle;
  ok(cuIpcGetMemHandle(&handle, reinterpret_cast<CUdeviceptr>(memory.get())));
  // Is over, but nobody has asked CUDA whether it is.
  const Stream one = stream();
  std::atomic<bool> over{false};
  ok(add(memory.get(), 1, one.get()));
  ok(cudaLaunchHostFunc(one.get(), [](void* its) { static_cast<std::atomic<bool>*>(its)->store(true); }, &over));
  while (!over) std::this_thread::yield();
  child.send(handle);
  CHECK(child.end() == gpu_failed);
}

TEST_CASE("softgpu: a copy that a kernel does not wait for is found with every seed") {
  for (int seed = 1; seed <= 20; ++seed) {
    const Child child([&](int, int to) {
      if (dup2(to, STDERR_FILENO) < 0) return sent_nothing;
      configure("gpus=1,seed=" + std::to_string(seed));
      constexpr unsigned count = 512;
      const DeviceWords table = words(count), seen = words(count);
      const std::vector<std::uint64_t> rows(count, 1), later(count, 2);
      ok(cudaMemcpy(table.get(), rows.data(), count * sizeof(std::uint64_t), cudaMemcpyHostToDevice));
      const Stream other = stream();
      ok(twice(table.get(), seen.get(), count, nullptr));  // the first launch may wait for all that runs
      ok(cudaDeviceSynchronize());
      ok(cudaMemcpy(table.get(), later.data(), count * sizeof(std::uint64_t), cudaMemcpyHostToDevice));
      const cudaError_t launched = twice(table.get(), seen.get(), count, other.get());
      return launched == cudaErrorLaunchFailure || cudaDeviceSynchronize() == cudaErrorLaunchFailure ? gpu_failed : 0;
    });
    INFO("seed " << seed);
    const std::string said = child.said();
    CHECK(child.end() == gpu_failed);
    CHECK_THAT(said, railgauge::test::ContainsSubstring("race") && railgauge::test::ContainsSubstring(" a copy ") &&
                         railgauge::test::ContainsSubstring("double_words"));
  }
}

TEST_CASE("softgpu: memory that is opened once more while it is closed stays open") {
  configure("gpus=1");
  const Child child([](int from, int) {
    const auto handle = receive<CUipcMemHandle>(from);
    if (cudaSetDevice(0) != cudaSuccess) return 1;
    CUdeviceptr memory = 0, again = 0;
    if (cuIpcOpenMemHandle(&memory, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) != CUDA_SUCCESS) return 2;
    const Stream one = stream();
    Gate gate;
    gate.close_in(one.get());
    CUresult closed = CUDA_ERROR_UNKNOWN;
    std::thread closer([&] {
      if (cudaSetDevice(0) == cudaSuccess) closed = cuIpcCloseMemHandle(memory);  // waits for what is in flight
    });
    linger();
    const bool opened = cuIpcOpenMemHandle(&again, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) == CUDA_SUCCESS;
    gate.open();
    closer.join();
    if (!opened || closed != CUDA_SUCCESS) return 3;
    if (cudaMemsetAsync(words_at(again), 0, 8, one.get()) != cudaSuccess) return 4;
    return cuIpcCloseMemHandle(again) == CUDA_SUCCESS ? 0 : 5;
  });
  ok(cudaSetDevice(0));
  const DeviceWords memory = words(1);
  put(memory.get(), 1);
  CUipcMemHandle handle;
  ok(cuIpcGetMemHandle(&handle, reinterpret_cast<CUdeviceptr>(memory.get())));
  child.send(handle);
  CHECK(child.end() == 0);
}

TEST_CASE("softgpu: GPUs may not reach each other's memory") {
  configure("gpus=2,peers=0");
  const Child child([](int from, int) {
    const auto handle = receive<CUipcMemHandle>(from);
    CUdeviceptr memory = 0;
    if (cudaSetDevice(1) != cudaSuccess) return 1;
    return cuIpcOpenMemHandle(&memory, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) == CUDA_ERROR_PEER_ACCESS_UNSUPPORTED ? 0 : 2;
  });
  ok(cudaSetDevice(0));
  int reaches = 1;
  ok(cuDeviceCanAccessPeer(&reaches, 0, 1));
  CHECK(reaches == 0);
  CHECK(cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessUnsupported);
  (void)cudaGetLastError();
  const DeviceWords memory = words(1);
  CUipcMemHandle handle;
  ok(cuIpcGetMemHandle(&handle, reinterpret_cast<CUdeviceptr>(memory.get())));
  child.send(handle);
  CHECK(child.end() == 0);
}

TEST_CASE("softgpu: CUDA does not work in a child of a process that uses it") {
  configure("gpus=1");
  int count = 0;
  ok(cudaGetDeviceCount(&count));
  CHECK(count == 1);
  const Child child([](int, int) { return cudaSetDevice(0) == cudaErrorInitializationError ? 0 : 1; });
  CHECK(child.end() == 0);
}

TEST_CASE("softgpu: memory of a process that was killed is gone") {
  configure("gpus=1");
  const Child child([](int, int to) {
    const DeviceWords memory = words(1);
    put(memory.get(), 1);
    CUipcMemHandle handle;
    if (cuIpcGetMemHandle(&handle, reinterpret_cast<CUdeviceptr>(memory.get())) != CUDA_SUCCESS) return 1;
    send(to, handle);
    pause();
    return 0;
  });
  const auto handle = child.receive<CUipcMemHandle>();
  kill(child.process(), SIGKILL);
  CHECK(child.end() == -SIGKILL);
  ok(cudaSetDevice(0));
  CUdeviceptr memory = 0;
  CHECK(cuIpcOpenMemHandle(&memory, handle, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) == CUDA_ERROR_INVALID_HANDLE);
}

}  // namespace softgpu::test
