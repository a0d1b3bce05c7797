// The pointers that a walk follows (bench/device/chase.hpp): one in every stretch of a memory, all of them in one cycle. Where
// each points to follows from its place alone, on the host and on devices. Plain constexpr functions, so that a device compiler
// takes them as they are.
//
// A stretch is as long as two lines of the widest caches, so that no pointer comes along with its neighbour. The cycle is that of
// the generator x -> factor * x + addend over the numbers of stretches, a power of two: every number comes once (Hull and Dobell,
// Random Number Generators, SIAM Review 1962), in an order that no prefetcher knows, and where a walk is after any number of
// steps can be told without walking.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "bench/device/device.hpp"

namespace railgauge::chain {

inline constexpr std::uint64_t stretch = 256;                                     // bytes
inline constexpr std::uint64_t least = 4 * stretch;                               // a memory that a walk goes through
inline constexpr std::uint64_t factor = 0x27bb2ee687b0b0fd, addend = 0xb504f32d;  // factor % 4 == 1, addend odd

// The largest size within `bytes` that a walk can cover: a power of two; 0 where `bytes` are too few.
[[nodiscard]] constexpr std::uint64_t bytes_within(std::uint64_t bytes) { return bytes < least ? 0 : std::bit_floor(bytes); }

// The target of the pointer at `at`. Both are offsets in bytes into a memory of `bytes` bytes, each at the start of a stretch.
[[nodiscard]] constexpr std::uint64_t next(std::uint64_t at, std::uint64_t bytes) {
  return (factor * (at / stretch) + addend) % (bytes / stretch) * stretch;
}

// The position of a walk that began at `at` after `steps` steps, by repeated squaring of the generator's map. In bytes.
[[nodiscard]] constexpr std::uint64_t after(std::uint64_t at, std::uint64_t steps, std::uint64_t bytes) {
  std::uint64_t factors = 1, sum = 0;
  for (std::uint64_t f = factor, a = addend; steps != 0; steps /= 2) {
    if (steps % 2 != 0) {
      factors *= f;
      sum = f * sum + a;
    }
    a = f * a + a;
    f *= f;
  }
  return (factors * (at / stretch) + sum) % (bytes / stretch) * stretch;
}

// Writes the pointers into host memory, whose size is a result of bytes_within().
inline void write(Bytes memory) {
  for (std::uint64_t at = 0; at < memory.size(); at += stretch) {
    const std::uint64_t to = next(at, memory.size());
    std::memcpy(memory.data() + at, &to, sizeof to);
  }
}

}  // namespace railgauge::chain
