// What objects of nvcc call before main, and around launches.
#include <cuda_runtime_api.h>

#include <vector>

#include "tests/softgpu/calls/kernels.hpp"
#include "tests/softgpu/runtime/last_error.hpp"

namespace softgpu {
namespace {

// Between the launch as it is written and the function that nvcc makes of it.
struct Configuration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
std::vector<Configuration>& configurations() {
  thread_local std::vector<Configuration> all;
  return all;
}

cudaKernel_t handle_of(Function* function) { return reinterpret_cast<cudaKernel_t>(function); }
Function* of_handle(cudaKernel_t handle) { return reinterpret_cast<Function*>(handle); }

}  // namespace
}  // namespace softgpu

using softgpu::note;

extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*, int*) {
  softgpu::register_function(host, name);
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, struct CUstream_st* stream) {
  softgpu::configurations().push_back({grid, block, shared, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  auto& all = softgpu::configurations();
  if (all.empty()) return note(cudaErrorInvalidConfiguration);
  *grid = all.back().grid;
  *block = all.back().block;
  *shared = all.back().shared;
  *static_cast<cudaStream_t*>(stream) = all.back().stream;
  all.pop_back();
  return cudaSuccess;
}

// CUDA 13
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  softgpu::Function* const function = softgpu::find_function(host);
  *kernel = softgpu::handle_of(function);
  return note(function == nullptr ? cudaErrorInvalidDeviceFunction : cudaSuccess);
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                               cudaStream_t stream) {
  return note(softgpu::launch(softgpu::of_handle(kernel), grid, block, arguments, shared, stream));
}
// CUDA 12
cudaError_t cudaLaunchKernel(const void* host, dim3 grid, dim3 block, void** arguments, std::size_t shared, cudaStream_t stream) {
  return note(softgpu::launch(softgpu::find_function(host), grid, block, arguments, shared, stream));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* host, int threads, std::size_t shared) {
  return note(softgpu::occupancy(blocks, softgpu::find_function(host), threads, shared));
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void* host, int threads, std::size_t shared,
                                                                   unsigned) {
  return note(softgpu::occupancy(blocks, softgpu::find_function(host), threads, shared));
}

}  // extern "C"
