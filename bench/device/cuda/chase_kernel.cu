// One thread that follows pointers. Each load is fetched anew (ld.cv), so that no cache of the multiprocessor answers in place of
// the memory; what the caches behind it hold depends on how much is walked through.
#include "bench/device/cuda/chase_kernel.hpp"

#include <algorithm>

#include "bench/device/chain.hpp"

namespace railgauge::cuda {
namespace {

constexpr unsigned threads = 256, most_blocks = 1024;

__global__ void __launch_bounds__(threads) write_chain(unsigned char* memory, std::uint64_t bytes) {
  const std::uint64_t me = std::uint64_t{blockIdx.x} * threads + threadIdx.x, all = std::uint64_t{gridDim.x} * threads;
  for (std::uint64_t at = me * chain::stretch; at < bytes; at += all * chain::stretch)
    *reinterpret_cast<std::uint64_t*>(memory + at) = chain::next(at, bytes);
}

__global__ void __launch_bounds__(1) follow(const unsigned char* memory, std::uint64_t* place, std::uint64_t steps) {
  std::uint64_t at = *place;
  for (std::uint64_t step = 0; step < steps; ++step) at = __ldcv(reinterpret_cast<const unsigned long long*>(memory + at));
  *place = at;
}

}  // namespace

cudaError_t launch_chain(std::byte* memory, std::uint64_t bytes, cudaStream_t stream) {
  const std::uint64_t blocks = std::clamp<std::uint64_t>(bytes / chain::stretch / threads, 1, most_blocks);
  (void)cudaGetLastError();  // of calls before
  write_chain<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(reinterpret_cast<unsigned char*>(memory), bytes);
  return cudaGetLastError();
}

cudaError_t launch_chase(const std::byte* memory, std::uint64_t* place, std::uint64_t steps, cudaStream_t stream) {
  (void)cudaGetLastError();
  follow<<<1, 1, 0, stream>>>(reinterpret_cast<const unsigned char*>(memory), place, steps);
  return cudaGetLastError();
}

}  // namespace railgauge::cuda
