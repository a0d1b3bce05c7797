// Each pass reads, multiplies, adds and writes all numbers of a block, which the caches of its multiprocessor hold: it takes
// processors, registers and some of the cache behind, as the kernels of a model do.
#include "bench/device/cuda/busy_kernel.hpp"

namespace railgauge::cuda {
namespace {

constexpr unsigned threads = 256;

__global__ void __launch_bounds__(threads) work(float* values, std::uint64_t passes) {
  volatile float* const mine = values + std::size_t{blockIdx.x} * busy_floats;
  for (std::uint64_t pass = 0; pass < passes; ++pass)
    for (unsigned i = threadIdx.x; i < busy_floats; i += threads) mine[i] = mine[i] * 0.999F + 1e-3F;
}

}  // namespace

cudaError_t launch_busy(float* values, std::uint64_t passes, unsigned blocks, cudaStream_t stream) {
  (void)cudaGetLastError();  // of calls before
  work<<<blocks, threads, 0, stream>>>(values, passes);
  return cudaGetLastError();
}

}  // namespace railgauge::cuda
