// Memory, copies and devices of the runtime.
#include <cuda_runtime_api.h>

#include "tests/softgpu/calls/copies.hpp"
#include "tests/softgpu/calls/devices.hpp"
#include "tests/softgpu/calls/memory.hpp"
#include "tests/softgpu/calls/streams.hpp"
#include "tests/softgpu/runtime/last_error.hpp"

using softgpu::note;

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) { return note(softgpu::count_gpus(count)); }
cudaError_t cudaSetDevice(int number) { return note(softgpu::choose_gpu(number)); }
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int number) {
  return note(softgpu::attribute_of(value, static_cast<CUdevice_attribute>(attribute), number));
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int number) {
  return note(softgpu::properties_of(properties, number));
}
cudaError_t cudaDeviceCanAccessPeer(int* answer, int number, int peer) { return note(softgpu::can_reach(answer, number, peer)); }
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) { return note(softgpu::reach(peer)); }
cudaError_t cudaDeviceSynchronize() { return note(softgpu::await_gpu()); }

cudaError_t cudaMalloc(void** made, std::size_t bytes) { return note(softgpu::allocate(made, bytes)); }
cudaError_t cudaFree(void* address) { return note(softgpu::free_device(address)); }
cudaError_t cudaHostAlloc(void** made, std::size_t bytes, unsigned) { return note(softgpu::allocate_pinned(made, bytes)); }
cudaError_t cudaFreeHost(void* address) { return note(softgpu::free_pinned(address)); }
cudaError_t cudaMallocManaged(void** made, std::size_t bytes, unsigned) { return note(softgpu::allocate_managed(made, bytes)); }
cudaError_t cudaHostRegister(void* address, std::size_t bytes, unsigned) {
  return note(softgpu::register_pinned(address, bytes));
}
cudaError_t cudaHostUnregister(void* address) { return note(softgpu::unregister_pinned(address)); }
cudaError_t cudaHostGetDevicePointer(void** made, void* pinned, unsigned) { return note(softgpu::device_address(made, pinned)); }
cudaError_t cudaMemGetInfo(std::size_t* left, std::size_t* all) { return note(softgpu::memory_left(left, all)); }

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return note(softgpu::copy(to, from, bytes, kind));
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return note(softgpu::copy_in_stream(to, from, bytes, kind, stream));
}
cudaError_t cudaMemset(void* to, int value, std::size_t bytes) { return note(softgpu::fill(to, value, bytes)); }
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return note(softgpu::fill_in_stream(to, value, bytes, stream));
}

}  // extern "C"
