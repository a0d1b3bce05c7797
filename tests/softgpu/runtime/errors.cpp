// Errors of the runtime: the last one, and what each is called.
#include <cuda_runtime_api.h>

#include <utility>

#include "tests/softgpu/calls/errors.hpp"
#include "tests/softgpu/runtime/last_error.hpp"

namespace softgpu {
namespace {

thread_local cudaError_t last = cudaSuccess;

}  // namespace

cudaError_t note(cudaError_t code) noexcept {
  if (code != cudaSuccess) last = code;
  return code;
}

}  // namespace softgpu

extern "C" {

cudaError_t cudaGetLastError() { return std::exchange(softgpu::last, cudaSuccess); }
const char* cudaGetErrorName(cudaError_t code) { return softgpu::words_of(code).runtime_name; }
const char* cudaGetErrorString(cudaError_t code) { return softgpu::words_of(code).text; }

}  // extern "C"
