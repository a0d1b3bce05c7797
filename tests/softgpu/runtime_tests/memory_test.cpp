// Memory of a process: what it holds at first, who may touch it, and what is found when it is touched wrongly.
#include <unistd.h>

#include <vector>

#include "tests/softgpu/runtime_tests/gpu.hpp"
#include "tests/softgpu/runtime_tests/kernels.hpp"

namespace softgpu::test {
namespace {

// Of cuMemCreate.
class MappedWords {
 public:
  explicit MappedWords(int gpu, bool for_cards = false) {
    CUmemAllocationProp properties{};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = gpu};
    properties.allocFlags.gpuDirectRDMACapable = for_cards ? 1 : 0;
    const CUmemAccessDesc access{.location = properties.location, .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    ok(cuMemCreate(&handle_, bytes, &properties, 0));
    ok(cuMemAddressReserve(&address_, bytes, 0, 0, 0));
    ok(cuMemMap(address_, bytes, 0, handle_, 0));
    ok(cuMemSetAccess(address_, bytes, &access, 1));
  }
  ~MappedWords() { cuMemRelease(handle_); }
  MappedWords(const MappedWords&) = delete;
  MappedWords& operator=(const MappedWords&) = delete;
  [[nodiscard]] std::uint64_t* get() const { return reinterpret_cast<std::uint64_t*>(static_cast<std::uintptr_t>(address_)); }
  // The code of its export to network cards.
  [[nodiscard]] CUresult exported(std::size_t size = bytes) const {
    int fd = -1;
    const CUresult code = cuMemGetHandleForAddressRange(&fd, address_, size, CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD, 0);
    if (fd >= 0) close(fd);
    return code;
  }
  void unmap() const { ok(cuMemUnmap(address_, bytes)); }

  static constexpr std::size_t bytes = std::size_t{2} << 20;

 private:
  CUmemGenericAllocationHandle handle_ = 0;
  CUdeviceptr address_ = 0;
};

}  // namespace

TEST_CASE("softgpu: memory is not zero before somebody has written it") {
  configure("gpus=1,strict=0");
  const DeviceWords memory = words(1000);
  CHECK(get(memory.get()) != 0);
  CHECK(get(memory.get() + 999) != 0);
  const PinnedWords pinned = pinned_words(1000);
  CHECK(pinned[999] != 0);
}

TEST_CASE("softgpu: memory of cuMemCreate goes to network cards where that was asked for, in whole pages") {
  configure("gpus=1");
  ok(cudaSetDevice(0));
  const MappedWords plain(0), asked(0, true);
  CHECK(plain.exported() == CUDA_ERROR_NOT_SUPPORTED);
  CHECK(asked.exported() == CUDA_SUCCESS);
  CHECK(asked.exported(5000) == CUDA_ERROR_INVALID_VALUE);
  CHECK(asked.exported(2 * MappedWords::bytes) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("softgpu: a kernel that reads what nobody has written ends the GPU's work") {
  configure("gpus=1");
  const DeviceWords memory = words(100), target = words(100);
  const Stream one = stream();
  ok(twice(memory.get(), target.get(), 100, one.get()));
  CHECK(cudaStreamSynchronize(one.get()) == cudaErrorLaunchFailure);
}

TEST_CASE("softgpu: a kernel beyond the end of its memory ends the GPU's work") {
  configure("gpus=1");
  const DeviceWords memory = words(100), target = words(99);
  const Stream one = stream();
  ok(cudaMemsetAsync(memory.get(), 0, 800, one.get()));
  ok(twice(memory.get(), target.get(), 100, one.get()));
  CHECK(cudaStreamSynchronize(one.get()) == cudaErrorIllegalAddress);
}

TEST_CASE("softgpu: freed memory is found in kernels, and refused in copies") {
  configure("gpus=1");
  const DeviceWords memory = words(100);
  const Stream one = stream();
  ok(cudaMemsetAsync(memory.get(), 0, 800, one.get()));
  std::uint64_t* freed = nullptr;
  {
    const DeviceWords gone = words(100);
    freed = gone.get();
  }
  CHECK(cudaMemcpyAsync(memory.get(), freed, 8, cudaMemcpyDefault, one.get()) == cudaErrorInvalidValue);
  CHECK(cudaFree(freed) == cudaErrorInvalidValue);
  (void)cudaGetLastError();
  ok(twice(memory.get(), freed, 100, one.get()));
  CHECK(cudaStreamSynchronize(one.get()) == cudaErrorIllegalAddress);
}

TEST_CASE("softgpu: memory that is unmapped while work is in flight is found") {
  configure("gpus=4");
  using Use = void (*)(std::uint64_t* mapped, std::uint64_t* other, cudaStream_t where);
  const Use uses[] = {[](std::uint64_t* mapped, std::uint64_t* other, cudaStream_t where) {
                        ok(cudaMemcpyAsync(other, mapped, 8, cudaMemcpyDeviceToDevice, where));
                      },
                      [](std::uint64_t* mapped, std::uint64_t* other, cudaStream_t where) {
                        ok(cudaMemcpyAsync(mapped, other, 8, cudaMemcpyDeviceToDevice, where));
                      },
                      [](std::uint64_t* mapped, std::uint64_t*, cudaStream_t where) { ok(cudaMemsetAsync(mapped, 0, 8, where)); },
                      [](std::uint64_t* mapped, std::uint64_t*, cudaStream_t where) {
                        ok(cuStreamWriteValue64(where, reinterpret_cast<CUdeviceptr>(mapped), 1, CU_STREAM_WRITE_VALUE_DEFAULT));
                      }};
  int gpu = 0;
  for (const Use use : uses) {  // each ends the work of a GPU
    ok(cudaSetDevice(gpu));
    const MappedWords memory(gpu++);
    const DeviceWords other = words(1);
    put(other.get(), 0);
    const Stream one = stream();
    ok(cudaMemsetAsync(memory.get(), 0, 8, one.get()));
    Gate gate;
    gate.close_in(one.get());
    use(memory.get(), other.get(), one.get());
    memory.unmap();
    gate.open();
    CHECK(cudaStreamSynchronize(one.get()) == cudaErrorIllegalAddress);
  }
  (void)cudaGetLastError();
}

TEST_CASE("softgpu: memory is freed when nothing is in flight any more") {
  configure("gpus=1");
  const Stream one = stream();
  Gate gate;
  std::atomic<bool> opened{false};
  const DeviceWords other = words(1);
  void* memory = nullptr;
  ok(cudaMalloc(&memory, 8));
  gate.close_in(one.get());
  std::thread opener([&] {
    linger();
    opened = true;
    gate.open();
  });
  ok(cudaFree(memory));
  CHECK(opened);
  opener.join();
}

TEST_CASE("softgpu: memory of the host is reached once it is registered") {
  configure("gpus=1");
  std::vector<std::uint64_t> memory(4096, 21);
  const DeviceWords target = words(4096);
  const Stream one = stream();
  ok(cudaHostRegister(memory.data(), memory.size() * 8, cudaHostRegisterMapped));
  CHECK(cudaHostRegister(memory.data() + 1, 8, cudaHostRegisterMapped) == cudaErrorHostMemoryAlreadyRegistered);
  void* there = nullptr;
  ok(cudaHostGetDevicePointer(&there, memory.data(), 0));
  ok(twice(static_cast<const std::uint64_t*>(there), target.get(), 4096, one.get()));
  ok(cudaStreamSynchronize(one.get()));
  CHECK(get(target.get() + 4095) == 42);
  ok(cudaHostUnregister(memory.data()));
  CHECK(cudaHostUnregister(memory.data()) == cudaErrorHostMemoryNotRegistered);
  (void)cudaGetLastError();
  ok(twice(memory.data(), target.get(), 1, one.get()));
  CHECK(cudaStreamSynchronize(one.get()) == cudaErrorIllegalAddress);
}

TEST_CASE("softgpu: there is as much memory as was asked for") {
  configure("gpus=1,gigabytes=2");
  std::size_t left = 0, all = 0;
  ok(cudaMemGetInfo(&left, &all));
  CHECK(all == 2'000'000'000);
  const DeviceWords memory = words(1000);
  std::size_t then = 0;
  ok(cudaMemGetInfo(&then, &all));
  CHECK(left - then == 8000);
  void* made = &made;
  CHECK(cudaMalloc(&made, 2'000'000'000) == cudaErrorMemoryAllocation);
  CHECK(made == nullptr);
  CHECK(cudaGetLastError() == cudaErrorMemoryAllocation);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("softgpu: more blocks that wait for each other than a GPU holds are found") {
  configure("gpus=1,sms=1,patience=1");
  const DeviceWords flag = words(1);
  put(flag.get(), 0);
  const Stream one = stream(), other = stream();
  ok(await(flag.get(), 3, one.get()));  // of 1,024 threads each, of which a multiprocessor holds two
  CHECK(cudaStreamSynchronize(one.get()) == cudaErrorLaunchTimeout);
}

TEST_CASE("softgpu: a deadlock of two GPUs is one of both") {
  configure("gpus=2,patience=1");
  std::vector<DeviceWords> flags;
  std::vector<Stream> streams;
  for (const int gpu : {0, 1}) {
    ok(cudaSetDevice(gpu));
    flags.push_back(words(1));
    put(flags.back().get(), 0);
    streams.push_back(stream());
    ok(await(flags.back().get(), 1, streams.back().get()));
  }
  CHECK(cudaStreamSynchronize(streams[0].get()) == cudaErrorLaunchTimeout);
  CHECK(cudaStreamSynchronize(streams[1].get()) == cudaErrorLaunchTimeout);
  (void)cudaGetLastError();
}

TEST_CASE("softgpu: the first launch of a kernel may wait for all that runs") {
  configure("gpus=1");
  const DeviceWords word = words(1);
  put(word.get(), 0);
  const Stream one = stream(), other = stream();
  Gate gate;
  std::atomic<bool> launched{false};
  gate.close_in(one.get());
  std::thread launcher([&] {
    ok(add(word.get(), 1, other.get()));
    launched = true;
  });
  linger();
  CHECK_FALSE(launched);
  gate.open();
  launcher.join();
  // The next one does not.
  Gate again;
  again.close_in(one.get());
  ok(add(word.get(), 1, other.get()));
  ok(cudaStreamSynchronize(other.get()));
  again.open();
  CHECK(get(word.get()) == 2);
}

}  // namespace softgpu::test
