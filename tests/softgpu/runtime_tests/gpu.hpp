// What tests of the software GPU's interfaces share: a configuration, memory and streams that end with their owners.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdlib.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include "bench/device/cuda/handles.hpp"
#include "tests/test.hpp"

namespace softgpu::test {

// Before the first call of CUDA in this process.
inline void configure(const std::string& words) { setenv("RAILGAUGE_SOFTGPU", words.c_str(), 1); }

// Throws what the call says.
inline void ok(cudaError_t code) {
  if (code != cudaSuccess) FAIL(cudaGetErrorName(code) << ": " << cudaGetErrorString(code));
}
inline void ok(CUresult code) { ok(static_cast<cudaError_t>(code)); }

struct Free {
  void operator()(std::uint64_t* memory) const { cudaFree(memory); }
};
struct FreeHost {
  void operator()(std::uint64_t* memory) const { cudaFreeHost(memory); }
};
using DeviceWords = std::unique_ptr<std::uint64_t[], Free>;
using PinnedWords = std::unique_ptr<std::uint64_t[], FreeHost>;

inline DeviceWords words(std::size_t count) {
  void* made = nullptr;
  ok(cudaMalloc(&made, count * sizeof(std::uint64_t)));
  return DeviceWords(static_cast<std::uint64_t*>(made));
}
inline PinnedWords pinned_words(std::size_t count) {
  void* made = nullptr;
  ok(cudaHostAlloc(&made, count * sizeof(std::uint64_t), cudaHostAllocDefault));
  return PinnedWords(static_cast<std::uint64_t*>(made));
}

using railgauge::cuda::Event, railgauge::cuda::Stream;

inline Stream stream(unsigned flags = cudaStreamNonBlocking) {
  cudaStream_t made = nullptr;
  ok(cudaStreamCreateWithFlags(&made, flags));
  return Stream(made);
}

inline Event event(unsigned flags = cudaEventDefault) {
  cudaEvent_t made = nullptr;
  ok(cudaEventCreateWithFlags(&made, flags));
  return Event(made);
}

inline void put(std::uint64_t* to, std::uint64_t value) {
  ok(cudaMemcpy(to, &value, sizeof value, cudaMemcpyHostToDevice));
  ok(cudaDeviceSynchronize());
}
inline std::uint64_t get(const std::uint64_t* from) {
  std::uint64_t value = 0;
  ok(cudaMemcpy(&value, from, sizeof value, cudaMemcpyDeviceToHost));
  return value;
}

// Gives other threads time to do what they may.
inline void linger() {
  for (int look = 0; look < 10'000; ++look) std::this_thread::yield();
}

// Holds a stream back until it is opened.
class Gate {
 public:
  void close_in(cudaStream_t where) { ok(cudaLaunchHostFunc(where, await, this)); }
  void open() { open_ = true; }

 private:
  static void await(void* gate) {
    while (!static_cast<Gate*>(gate)->open_) std::this_thread::yield();
  }
  std::atomic<bool> open_{false};
};

}  // namespace softgpu::test
