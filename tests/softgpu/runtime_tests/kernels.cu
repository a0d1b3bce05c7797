// Small kernels that tests put into streams.
#include <cuda/atomic>

#include "tests/softgpu/runtime_tests/kernels.hpp"

namespace softgpu::test {
namespace {

constexpr unsigned threads = 64;

__global__ void add_value(std::uint64_t* word, std::uint64_t value) { *word += value; }

__global__ void await_word(std::uint64_t* word) {
  const ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_system> flag(*word);
  while (flag.load(::cuda::memory_order_acquire) == 0) {}
}

__global__ void double_words(const std::uint64_t* from, std::uint64_t* to, unsigned words) {
  const unsigned at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < words) to[at] = 2 * from[at];
}

}  // namespace

cudaError_t add(std::uint64_t* word, std::uint64_t value, cudaStream_t stream) {
  (void)cudaGetLastError();  // of calls before
  add_value<<<1, 1, 0, stream>>>(word, value);
  return cudaGetLastError();
}

cudaError_t await(const std::uint64_t* word, unsigned blocks, cudaStream_t stream) {
  (void)cudaGetLastError();
  await_word<<<blocks, 1024, 0, stream>>>(const_cast<std::uint64_t*>(word));
  return cudaGetLastError();
}

cudaError_t twice(const std::uint64_t* from, std::uint64_t* to, unsigned words, cudaStream_t stream) {
  (void)cudaGetLastError();
  double_words<<<(words + threads - 1) / threads, threads, 0, stream>>>(from, to, words);
  return cudaGetLastError();
}

}  // namespace softgpu::test
