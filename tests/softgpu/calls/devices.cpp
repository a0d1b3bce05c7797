// Answers from the configuration, and as an H100 does, to what the plugins ask.
#include "tests/softgpu/calls/devices.hpp"

#include <cstdio>
#include <set>
#include <utility>

namespace softgpu {
namespace {

// Pairs that reach each other's memory, by number. Guarded by the lock of the process.
std::set<std::pair<int, int>>& enabled() {
  static std::set<std::pair<int, int>> all;
  return all;
}

template <class Body>
cudaError_t ask(int number, Body body) {
  return call([&](Process& process, Lock&) -> cudaError_t {
    if (number < 0 || number >= static_cast<int>(process.gpus.size())) return cudaErrorInvalidDevice;
    return body(process, *process.gpus[static_cast<std::size_t>(number)]);
  });
}

// The number of the GPU stands in its first and last byte.
void write_uuid(char (&bytes)[16], int physical) {
  for (int i = 0; i < 16; ++i) bytes[i] = static_cast<char>(0x50 + i);
  bytes[0] = bytes[15] = static_cast<char>(physical);
}

int bus_of(int physical) { return 0x10 + 0x10 * physical; }

}  // namespace

cudaError_t count_gpus(int* count) {
  const cudaError_t code = call([&](const Process& process, Lock&) {
    *count = static_cast<int>(process.gpus.size());
    return cudaSuccess;
  });
  if (code != cudaSuccess) *count = 0;
  return code;
}

cudaError_t choose_gpu(int number) {
  return ask(number, [&](Process&, Gpu& gpu) {
    current() = {.gpu = number, .chosen = true};
    return gpu.failure() ? gpu.failure()->code : cudaSuccess;
  });
}

cudaError_t current_gpu(int* number) {
  return call([&](Process&, Lock&) {
    *number = current().gpu;
    return cudaSuccess;
  });
}

cudaError_t attribute_of(int* value, CUdevice_attribute attribute, int number) {
  return ask(number, [&](Process& process, Gpu&) {
    switch (attribute) {
      case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *value = static_cast<int>(process.config.sms);
        break;
      case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
        *value = process.config.waits ? 1 : 0;
        break;
      case CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED:
      case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED:
        *value = 1;
        break;
      case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED:
        *value = 0;
        break;
      default:
        return cudaErrorInvalidValue;  // nobody has asked for it so far
    }
    return cudaSuccess;
  });
}

cudaError_t properties_of(cudaDeviceProp* properties, int number) {
  return ask(number, [&](Process& process, Gpu& gpu) {
    *properties = {};
    std::snprintf(properties->name, sizeof properties->name, "Software GPU");
    write_uuid(properties->uuid.bytes, gpu.physical());
    properties->totalGlobalMem = process.config.memory_bytes();
    properties->major = 9;
    properties->pciBusID = bus_of(gpu.physical());
    properties->l2CacheSize = 50 << 20;
    return cudaSuccess;
  });
}

cudaError_t uuid_of(CUuuid* uuid, int number) {
  return ask(number, [&](Process&, const Gpu& gpu) {
    write_uuid(uuid->bytes, gpu.physical());
    return cudaSuccess;
  });
}

cudaError_t can_reach(int* answer, int number, int peer) {
  return ask(number, [&](Process& process, Gpu&) {
    if (peer < 0 || peer >= static_cast<int>(process.gpus.size())) return cudaErrorInvalidDevice;
    *answer = process.config.peers && number != peer ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t reach(int peer) {
  return call_on_gpu([&](Process& process, Gpu& gpu, Lock&) {
    if (peer < 0 || peer >= static_cast<int>(process.gpus.size()) || peer == gpu.number()) return cudaErrorInvalidDevice;
    if (!process.config.peers) return cudaErrorPeerAccessUnsupported;
    return enabled().emplace(gpu.number(), peer).second ? cudaSuccess : cudaErrorPeerAccessAlreadyEnabled;
  });
}

}  // namespace softgpu
