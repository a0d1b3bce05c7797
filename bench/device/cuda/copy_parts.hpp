// What copies and walks of GPUs have in common: calls that fail while they run, and memory of both ends.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>

#include "bench/device/device.hpp"

namespace railgauge::cuda {

// As check(), of what fails while it runs: Error(lost).
void expect(cudaError_t code, const char* call, int device);

// Makes it the current device. Throws Error(usage), or, while something runs, Error(lost).
void use(int device);
void reuse(int device);

// Until what is before the event is done. A device that hangs becomes a sentence: "cuda:0 did not `what` within 60 s",
// Error(lost).
void await(cudaEvent_t event, const char* what, int device);

struct FreeDevice {
  void operator()(std::byte* address) const noexcept { cudaFree(address); }
};
using DeviceMemory = std::unique_ptr<std::byte, FreeDevice>;
// On the current device, which is `device`. Throws Error(usage) that names the size.
[[nodiscard]] DeviceMemory allocate(std::size_t bytes, int device);

struct Unpin {
  void operator()(std::byte* address) const noexcept { cudaHostUnregister(address); }
};
using Pinned = std::unique_ptr<std::byte, Unpin>;
// Memory of that NUMA node, for `device`, which is the current one. Throws Error(usage).
[[nodiscard]] Pinned pin(Bytes memory, int node, int device);
// The same memory as kernels of `device`, the current one, call it. Throws Error(usage).
[[nodiscard]] std::byte* mapped(std::byte* pinned, int device);

// Whether kernels of `device` can get at the other's memory; and that they may from now on. Both throw Error(usage).
[[nodiscard]] bool can_reach(int device, int other);
void reach(int device, int other);

}  // namespace railgauge::cuda
