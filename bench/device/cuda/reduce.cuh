// The loop over memory of every kernel: each source is read once, in words of 16 bytes, several of them in flight, combined in
// registers, and written once to each target.
//
//   array   |head|word word word ... word|tail|     head and tail one by one, in the same launch
//   tile         |------|                           words of one turn of a block: threads * unroll
//   blocks       |0     |1     |2     |0     |...   several times as many as fill the device, each through all of its tiles
#pragma once

#include <algorithm>
#include <cstdint>

#include "bench/device/cuda/codec.cuh"
#include "bench/device/cuda/kernel.hpp"
#include "bench/device/cuda/partition.hpp"
#include "bench/device/cuda/shifted.cuh"

namespace railgauge::cuda {

inline constexpr unsigned threads = 256, least_blocks = 2;  // of a multiprocessor: the second says how many registers there are
// Of float8, two words of a thread are few bytes in flight for what they need of registers: with 3 blocks of a multiprocessor an
// H200 reached 0.91 of a copy, with 4 0.97. Compiled for sm_100 they would spill registers with 3 or 4.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
inline constexpr unsigned least_of_float8 = 2;
#else
inline constexpr unsigned least_of_float8 = 4;
#endif
template <Type type>
inline constexpr unsigned least_reducing = Words<type>::by_fours ? least_of_float8 : least_blocks;

// As a kernel takes it, in the memory of its parameters. Factors are Numbers of the type already.
template <int capacity>
struct Operands {
  const std::byte* sources[capacity];
  std::byte* targets[capacity];
  std::uint64_t factors[capacity];
  Partition cut;
  std::uint32_t source_count, target_count, divisor;
  Op op;
  bool premultiplied;
};

// Words in flight of one thread and source: so many that their Numbers still fit its registers.
template <Type type>
inline constexpr int unroll = Words<type>::elements >= 8 ? 2 : 4;

// Chosen outside of the loop over elements; the same for all threads.
template <class Number, int count>
__device__ void combine_all(Op op, Number* sum, const Number (&value)[count]) {
  switch (op) {
    case Op::prod:
#pragma unroll
      for (int i = 0; i < count; ++i) sum[i] = element::combine(Op::prod, sum[i], value[i]);
      return;
    case Op::min:
#pragma unroll
      for (int i = 0; i < count; ++i) sum[i] = element::combine(Op::min, sum[i], value[i]);
      return;
    case Op::max:
#pragma unroll
      for (int i = 0; i < count; ++i) sum[i] = element::combine(Op::max, sum[i], value[i]);
      return;
    default:
#pragma unroll
      for (int i = 0; i < count; ++i) sum[i] = element::combine(Op::sum, sum[i], value[i]);
  }
}

template <class Number>
__device__ Number factor_of(std::uint64_t bits) {
  if constexpr (sizeof(Number) == 8)
    return __builtin_bit_cast(Number, bits);
  else if constexpr (sizeof(Number) == 4)
    return __builtin_bit_cast(Number, static_cast<std::uint32_t>(bits));
  else
    return static_cast<Number>(bits);
}

// As premulsum asks for it.
template <class Given, class Number, int count>
__device__ void premultiply(const Given& operands, std::uint32_t source, Number (&numbers)[count]) {
  if (!operands.premultiplied) return;
  const auto factor = factor_of<Number>(operands.factors[source]);
#pragma unroll
  for (auto& number : numbers) number = element::multiply(number, factor);
}

// Words [word, word + step * (count - 1)] of this thread; those past the end of the array are left alone. `Given` is an Operands,
// or one whose operands stand elsewhere (steps.cuh).
template <Type type, int sources, class Given>
__device__ void reduce_words(const Given& operands, std::size_t offset, std::size_t word) {
  using W = Words<type>;
  using Number = typename W::Number;
  constexpr int count = unroll<type>;
  const auto is_there = [&](int i) { return word + static_cast<std::size_t>(i) * threads < operands.cut.words; };
  const auto load = [&](const std::byte* source, uint4(&raw)[count]) {
    const auto* from = reinterpret_cast<const uint4*>(source + offset) + word;
#pragma unroll
    for (int i = 0; i < count; ++i)
      if (is_there(i)) raw[i] = from[static_cast<std::size_t>(i) * threads];
  };
  uint4 raw[count] = {};
  Number sum[count][W::elements];
  load(operands.sources[0], raw);
  if constexpr (sources == 2) {
    uint4 second[count] = {};
    load(operands.sources[1], second);
#pragma unroll
    for (int i = 0; i < count; ++i) {
      Number value[W::elements];
      W::unpack(raw[i], sum[i]);
      W::unpack(second[i], value);
      combine_all(operands.op, sum[i], value);
      raw[i] = W::pack(sum[i]);
    }
  } else {
    // The next source's words are in flight while this one's are combined.
    uint4 next[count] = {};
    if (operands.source_count > 1) load(operands.sources[1], next);
#pragma unroll
    for (int i = 0; i < count; ++i) {
      W::unpack(raw[i], sum[i]);
      premultiply(operands, 0, sum[i]);
    }
    for (std::uint32_t source = 1; source < operands.source_count; ++source) {
#pragma unroll
      for (int i = 0; i < count; ++i) raw[i] = next[i];
      if (source + 1 < operands.source_count) load(operands.sources[source + 1], next);
#pragma unroll
      for (int i = 0; i < count; ++i) {
        // A part of a word at a time: its Numbers need registers beside the sums.
#pragma unroll
        for (int part = 0; part < W::parts; ++part) {
          Number value[W::of_part];
          W::unpack_part(raw[i], part, value);
          premultiply(operands, source, value);
          combine_all(operands.op, sum[i] + part * W::of_part, value);
        }
      }
    }
#pragma unroll
    for (int i = 0; i < count; ++i) {
      if (operands.divisor > 1) {
#pragma unroll
        for (int j = 0; j < W::elements; ++j) sum[i][j] = element::divide(sum[i][j], operands.divisor);
      }
      raw[i] = W::pack(sum[i]);
    }
  }
  const std::uint32_t targets = sources == 2 ? 1 : operands.target_count;
  for (std::uint32_t target = 0; target < targets; ++target) {
    auto* to = reinterpret_cast<uint4*>(operands.targets[target] + offset) + word;
#pragma unroll
    for (int i = 0; i < count; ++i)
      if (is_there(i)) to[static_cast<std::size_t>(i) * threads] = raw[i];
  }
}

// One word, where not all arrays lie alike.
template <Type type, class Given>
__device__ void reduce_shifted_word(const Given& operands, std::size_t at) {
  using W = Words<type>;
  using Number = typename W::Number;
  Number sum[W::elements];
  uint4 next = load_anywhere(operands.sources[0] + at);
  for (std::uint32_t source = 0; source < operands.source_count; ++source) {
    const uint4 raw = next;
    if (source + 1 < operands.source_count) next = load_anywhere(operands.sources[source + 1] + at);
#pragma unroll
    for (int part = 0; part < W::parts; ++part) {
      Number value[W::of_part];
      Number* const its = sum + part * W::of_part;
      W::unpack_part(raw, part, value);
      premultiply(operands, source, value);
      if (source == 0) {
#pragma unroll
        for (int i = 0; i < W::of_part; ++i) its[i] = value[i];
      } else {
        combine_all(operands.op, its, value);
      }
    }
  }
  if (operands.divisor > 1) {
#pragma unroll
    for (auto& number : sum) number = element::divide(number, operands.divisor);
  }
  const uint4 word = W::pack(sum);
  for (std::uint32_t target = 0; target < operands.target_count; ++target) store_anywhere(operands.targets[target] + at, word);
}

template <Type type, class Given>
__device__ void reduce_element(const Given& operands, std::size_t at) {
  using C = Code<type>;
  using Number = typename C::Number;
  const auto read = [&](std::uint32_t source) {
    const Number number = C::number(reinterpret_cast<const typename C::Stored*>(operands.sources[source])[at]);
    return operands.premultiplied ? element::multiply(number, factor_of<Number>(operands.factors[source])) : number;
  };
  Number sum = read(0);
  for (std::uint32_t source = 1; source < operands.source_count; ++source) sum = element::combine(operands.op, sum, read(source));
  const auto stored = C::stored(element::divide(sum, operands.divisor));
  for (std::uint32_t target = 0; target < operands.target_count; ++target)
    reinterpret_cast<typename C::Stored*>(operands.targets[target])[at] = stored;
}

// What block `block` of `blocks` does. `sources`: 2 where there are two, one target, and no scale; else 0.
template <Type type, int sources, class Given>
__device__ void reduce_share(const Given& operands, unsigned block, unsigned blocks) {
  const Partition& cut = operands.cut;
  constexpr std::size_t tile = std::size_t{threads} * unroll<type>;
  const std::size_t offset = cut.head * sizeof(typename Words<type>::Stored);
  if (cut.shifted) {
    for (std::size_t word = std::size_t{block} * threads + threadIdx.x; word < cut.words; word += std::size_t{blocks} * threads)
      reduce_shifted_word<type>(operands, offset + word * word_bytes);
  } else {
    for (std::size_t first = block * tile; first < cut.words; first += blocks * tile)
      reduce_words<type, sources>(operands, offset, first + threadIdx.x);
  }
  const std::size_t apart = cut.elements - cut.words * Words<type>::elements;
  for (std::size_t i = std::size_t{block} * threads + threadIdx.x; i < apart; i += std::size_t{blocks} * threads)
    reduce_element<type>(operands, i < cut.head ? i : i + cut.words * Words<type>::elements);
}

template <Type type, int capacity, int sources>
__global__ void __launch_bounds__(threads, least_reducing<type>) reduce(const __grid_constant__ Operands<capacity> operands) {
  reduce_share<type, sources>(operands, blockIdx.x, gridDim.x);
}

// A factor of premulsum as factor_of() takes it.
template <Type type>
std::uint64_t factor_bits(double value) {
  const auto factor = element::factor<typename Code<type>::Number>(value);
  std::uint64_t bits = 0;
  static_assert(sizeof factor <= sizeof bits);
  __builtin_memcpy(&bits, &factor, sizeof factor);
  return bits;
}

template <Type type, int capacity, int sources>
cudaError_t launch_reduce(std::span<const ConstBytes> from, std::span<const Bytes> to, const Scale& scale, Op op, unsigned most,
                          cudaStream_t stream) {
  Operands<capacity> operands{};
  for (std::size_t i = 0; i < from.size(); ++i) operands.sources[i] = from[i].data();
  for (std::size_t i = 0; i < to.size(); ++i) operands.targets[i] = to[i].data();
  for (std::size_t i = 0; i < scale.factors.size(); ++i) operands.factors[i] = factor_bits<type>(scale.factors[i]);
  operands.cut = partition(from, to, sizeof(typename Code<type>::Stored));
  operands.source_count = static_cast<std::uint32_t>(from.size());
  operands.target_count = static_cast<std::uint32_t>(to.size());
  operands.divisor = scale.divisor;
  operands.op = op;
  operands.premultiplied = !scale.factors.empty();
  const std::size_t apart = operands.cut.elements - operands.cut.words * Words<type>::elements;
  const std::size_t tile = operands.cut.shifted ? threads : threads * unroll<type>;
  const std::size_t tiles = (operands.cut.words + tile - 1) / tile;
  (void)cudaGetLastError();  // of calls before
  const std::size_t blocks = std::max({tiles, (apart + threads - 1) / threads, std::size_t{1}});
  reduce<type, capacity, sources><<<static_cast<unsigned>(std::min<std::size_t>(blocks, most)), threads, 0, stream>>>(operands);
  return cudaGetLastError();
}

inline constexpr int few_operands = 8;

template <Type type>
cudaError_t launch(std::span<const ConstBytes> from, std::span<const Bytes> to, const Scale& scale, Op op, const Grids& grids,
                   cudaStream_t stream) {
  if (to[0].empty()) return cudaSuccess;
  if (from.size() == 2 && to.size() == 1 && scale.factors.empty() && scale.divisor <= 1)
    return launch_reduce<type, 2, 2>(from, to, scale, op, grids[0], stream);
  if (from.size() <= few_operands && to.size() <= few_operands)
    return launch_reduce<type, few_operands, 0>(from, to, scale, op, grids[1], stream);
  return launch_reduce<type, most_operands, 0>(from, to, scale, op, grids[2], stream);
}

template <Type type, int capacity, int sources>
cudaError_t measure_grid(unsigned& grid, int multiprocessors) {
  int blocks = 0;
  const cudaError_t code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, reduce<type, capacity, sources>, threads, 0);
  // Not as many as are resident, each to the end of the array: those that end early would leave their place empty. 5 % on an
  // H200.
  constexpr int waves = 16;
  grid = static_cast<unsigned>(std::max(1, waves * blocks * multiprocessors));
  return code;
}

template <Type type>
cudaError_t measure_grids(Grids& grids, int multiprocessors) {
  cudaError_t code = measure_grid<type, 2, 2>(grids[0], multiprocessors);
  if (code == cudaSuccess) code = measure_grid<type, few_operands, 0>(grids[1], multiprocessors);
  if (code == cudaSuccess) code = measure_grid<type, most_operands, 0>(grids[2], multiprocessors);
  return code;
}

}  // namespace railgauge::cuda
