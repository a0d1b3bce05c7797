// The calls behind bench/device/cuda/copy_parts.hpp.
#include "bench/device/cuda/copy_parts.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <chrono>

#include "base/error.hpp"
#include "base/units.hpp"
#include "bench/device/cuda/call.hpp"
#include "bench/device/cuda/names.hpp"

namespace railgauge::cuda {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds patience{60};  // of a wait for a stream

}  // namespace

void expect(cudaError_t code, const char* call, int device) {
  if (code != cudaSuccess)
    throw Error(Fault::lost,
                fmt::format("{} on {}: {} ({})", call, name_of(device), cudaGetErrorString(code), cudaGetErrorName(code)));
}

void use(int device) { check(cudaSetDevice(device), "cudaSetDevice to " + name_of(device)); }
void reuse(int device) { expect(cudaSetDevice(device), "cudaSetDevice", device); }

void await(cudaEvent_t event, const char* what, int device) {
  const auto deadline = steady_clock::now() + patience;
  for (unsigned turn = 1;; ++turn) {
    const cudaError_t code = cudaEventQuery(event);
    if (code == cudaSuccess) return;
    if (code != cudaErrorNotReady) expect(code, "cudaEventQuery", device);
    if (turn % 256 != 0) continue;
    if (steady_clock::now() > deadline)
      throw Error(Fault::lost, fmt::format("{} did not {} within {} s", name_of(device), what, patience.count()));
    sched_yield();
  }
}

DeviceMemory allocate(std::size_t bytes, int device) {
  void* address = nullptr;
  if (const cudaError_t code = cudaMalloc(&address, bytes); code != cudaSuccess) {
    std::size_t left = 0, all = 0;
    const bool known = cudaMemGetInfo(&left, &all) == cudaSuccess;
    check(code, fmt::format("cudaMalloc of {} on {}{}", format_bytes(bytes), name_of(device),
                            known ? fmt::format(", which has {:.1f} GB left of {:.1f} GB", static_cast<double>(left) / 1e9,
                                                static_cast<double>(all) / 1e9)
                                  : ""));
  }
  return DeviceMemory(static_cast<std::byte*>(address));
}

Pinned pin(Bytes memory, int node, int device) {
  check(cudaHostRegister(memory.data(), memory.size(), cudaHostRegisterPortable | cudaHostRegisterMapped),
        fmt::format("cudaHostRegister of {} on numa{} for {}", format_bytes(memory.size()), node, name_of(device)));
  return Pinned(memory.data());
}

std::byte* mapped(std::byte* pinned, int device) {
  void* address = nullptr;
  check(cudaHostGetDevicePointer(&address, pinned, 0), "cudaHostGetDevicePointer on " + name_of(device));
  return static_cast<std::byte*>(address);
}

bool can_reach(int device, int other) {
  int answer = 0;
  check(cudaDeviceCanAccessPeer(&answer, device, other),
        fmt::format("cudaDeviceCanAccessPeer from {} to {}", name_of(device), name_of(other)));
  return answer != 0;
}

void reach(int device, int other) {
  use(device);
  const cudaError_t code = cudaDeviceEnablePeerAccess(other, 0);
  if (code == cudaErrorPeerAccessAlreadyEnabled)
    (void)cudaGetLastError();  // it is kept for the next who asks
  else
    check(code, fmt::format("cudaDeviceEnablePeerAccess from {} to {}", name_of(device), name_of(other)));
}

}  // namespace railgauge::cuda
