// Loops over memory: words of 16 bytes, several of each thread in flight, in tiles that the blocks take round-robin; what is left
// at the end goes byte by byte, in the same launch.
#include "bench/device/cuda/copy_kernel.hpp"

#include <algorithm>

#include "bench/device/copy_pattern.hpp"

namespace railgauge::cuda {
namespace {

constexpr unsigned threads = 512, least_blocks = 2;  // of a multiprocessor: the second says how many registers there are
constexpr int unroll = 8;                            // words of one thread that are in flight together
constexpr std::size_t tile = std::size_t{threads} * unroll;

__global__ void __launch_bounds__(threads, least_blocks) copy(const uint4* from, uint4* to, std::size_t words, unsigned left) {
  for (std::size_t first = blockIdx.x * tile; first < words; first += gridDim.x * tile) {
    const std::size_t at = first + threadIdx.x;
    if (first + tile <= words) {
      uint4 word[unroll];
#pragma unroll
      for (int i = 0; i < unroll; ++i) word[i] = from[at + std::size_t{threads} * i];
#pragma unroll
      for (int i = 0; i < unroll; ++i) to[at + std::size_t{threads} * i] = word[i];
    } else {
      for (std::size_t i = at; i < words; i += threads) to[i] = from[i];
    }
  }
  if (blockIdx.x == 0 && threadIdx.x < left)
    reinterpret_cast<unsigned char*>(to + words)[threadIdx.x] = reinterpret_cast<const unsigned char*>(from + words)[threadIdx.x];
}

__global__ void __launch_bounds__(threads, least_blocks)
    fill(std::uint64_t* to, std::size_t words, unsigned left, std::uint64_t seed, std::uint64_t change) {
  const std::size_t step = std::size_t{gridDim.x} * threads, me = std::size_t{blockIdx.x} * threads + threadIdx.x;
  for (std::size_t i = me; i < words; i += step) to[i] = copy_pattern::word_of(seed, i) ^ change;
  if (me < left)
    reinterpret_cast<unsigned char*>(to + words)[me] =
        static_cast<unsigned char>((copy_pattern::word_of(seed, words) ^ change) >> (8 * me));
}

__global__ void __launch_bounds__(threads, least_blocks)
    compare(const std::uint64_t* got, std::size_t words, unsigned left, std::uint64_t seed, Differences* found) {
  const std::size_t step = std::size_t{gridDim.x} * threads, me = std::size_t{blockIdx.x} * threads + threadIdx.x;
  unsigned long long wrong = 0, first = ~0ULL;
  const auto look = [&](std::uint64_t difference, std::size_t word) {
    for (unsigned byte = 0; byte < copy_pattern::word_bytes; ++byte) {
      if ((difference >> (8 * byte) & 0xffU) == 0) continue;
      const unsigned long long place = word * copy_pattern::word_bytes + byte;
      if (place < first) first = place;
      ++wrong;
    }
  };
  for (std::size_t i = me; i < words; i += step) look(got[i] ^ copy_pattern::word_of(seed, i), i);
  if (me < left) {
    const unsigned shift = 8 * static_cast<unsigned>(me);
    const std::uint64_t byte = reinterpret_cast<const unsigned char*>(got + words)[me];
    look((byte << shift) ^ (copy_pattern::word_of(seed, words) & (std::uint64_t{0xff} << shift)), words);
  }
  if (wrong == 0) return;
  atomicAdd(&found->wrong, wrong);
  atomicMin(&found->first, first);
}

// As many as there is work for, and no more than fill the device.
unsigned blocks_for(std::size_t items, std::size_t each, unsigned most) {
  return static_cast<unsigned>(std::clamp<std::size_t>((items + each - 1) / each, 1, std::max(most, 1U)));
}

}  // namespace

cudaError_t launch_copy(const std::byte* from, std::byte* to, std::size_t bytes, unsigned blocks, cudaStream_t stream) {
  const std::size_t words = bytes / sizeof(uint4);
  (void)cudaGetLastError();  // of calls before
  copy<<<blocks_for(words, tile, blocks), threads, 0, stream>>>(
      reinterpret_cast<const uint4*>(from), reinterpret_cast<uint4*>(to), words, static_cast<unsigned>(bytes % sizeof(uint4)));
  return cudaGetLastError();
}

cudaError_t launch_fill(std::byte* to, std::size_t bytes, std::uint64_t seed, std::uint64_t change, unsigned blocks,
                        cudaStream_t stream) {
  const std::size_t words = bytes / copy_pattern::word_bytes;
  (void)cudaGetLastError();
  fill<<<blocks_for(words, threads, blocks), threads, 0, stream>>>(
      reinterpret_cast<std::uint64_t*>(to), words, static_cast<unsigned>(bytes % copy_pattern::word_bytes), seed, change);
  return cudaGetLastError();
}

cudaError_t launch_compare(const std::byte* got, std::size_t bytes, std::uint64_t seed, Differences* found, unsigned blocks,
                           cudaStream_t stream) {
  const std::size_t words = bytes / copy_pattern::word_bytes;
  (void)cudaGetLastError();
  compare<<<blocks_for(words, threads, blocks), threads, 0, stream>>>(
      reinterpret_cast<const std::uint64_t*>(got), words, static_cast<unsigned>(bytes % copy_pattern::word_bytes), seed, found);
  return cudaGetLastError();
}

cudaError_t measure_copy_grid(unsigned& blocks, int multiprocessors) {
  int each = 0;
  cudaError_t code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, fill, threads, 0);
  if (code == cudaSuccess) code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, compare, threads, 0);
  if (code == cudaSuccess) code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, copy, threads, 0);
  blocks = static_cast<unsigned>(std::max(1, each * multiprocessors));
  return code;
}

}  // namespace railgauge::cuda
