// Words of 16 bytes of an array that begins elsewhere than a word does: read as the two words that they lie in, written in the
// largest parts that fit.
//
//   memory       |0...............|16..............|32..............|
//   a source         |--- word ---.---|                               two reads of 16 bytes, shifted together
//   threads          |  thread 0  ... |  thread 1  ... |              the second read of one is the first of the next
#pragma once

#include <cstdint>

#include "bench/device/cuda/partition.hpp"

namespace railgauge::cuda {

// Bytes [shift, shift + 16) of the 32 of `low` and `high`; `shift` below 16, and the same for all threads.
inline __device__ uint4 shifted_together(const uint4& low, const uint4& high, unsigned shift) {
  std::uint32_t words[8] = {low.x, low.y, low.z, low.w, high.x, high.y, high.z, high.w};
  if ((shift & 8U) != 0) {
#pragma unroll
    for (int i = 0; i < 6; ++i) words[i] = words[i + 2];
  }
  if ((shift & 4U) != 0) {
#pragma unroll
    for (int i = 0; i < 5; ++i) words[i] = words[i + 1];
  }
  const unsigned bytes = 0x3210U + 0x1111U * (shift & 3U);
  const auto part = [&](int i) { return __byte_perm(words[i], words[i + 1], bytes); };
  return {part(0), part(1), part(2), part(3)};
}

// The 16 bytes at `from`. The words that they lie in are those of the array (Partition).
inline __device__ uint4 load_anywhere(const std::byte* from) {
  const auto shift = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % word_bytes);
  const auto* const words = reinterpret_cast<const uint4*>(from - shift);
  const uint4 low = words[0];
  return shift == 0 ? low : shifted_together(low, words[1], shift);
}

template <class Part>
__device__ void store_parts(std::byte* to, const uint4& word) {
  union {
    uint4 raw;
    Part parts[word_bytes / sizeof(Part)];
  };
  raw = word;
#pragma unroll
  for (unsigned i = 0; i < word_bytes / sizeof(Part); ++i) reinterpret_cast<Part*>(to)[i] = parts[i];
}

inline __device__ void store_anywhere(std::byte* to, const uint4& word) {
  const std::uintptr_t place = reinterpret_cast<std::uintptr_t>(to);
  if (place % word_bytes == 0)
    *reinterpret_cast<uint4*>(to) = word;
  else if (place % sizeof(std::uint64_t) == 0)
    store_parts<std::uint64_t>(to, word);
  else if (place % sizeof(std::uint32_t) == 0)
    store_parts<std::uint32_t>(to, word);
  else if (place % sizeof(std::uint16_t) == 0)
    store_parts<std::uint16_t>(to, word);
  else
    store_parts<std::uint8_t>(to, word);
}

}  // namespace railgauge::cuda
