// The data of the sources of copies, and of their targets before a copy: each word follows from a seed and its number alone, on
// the host and on devices. Plain constexpr functions, so that a device compiler takes them as they are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "bench/device/copies.hpp"

namespace railgauge::copy_pattern {

inline constexpr std::size_t word_bytes = sizeof(std::uint64_t);
// A word is XORed with this: with `spoilt` no byte of the word is right.
inline constexpr std::uint64_t right = 0, spoilt = ~std::uint64_t{0};

// One seed for each direction: data that went in the wrong direction is wrong.
[[nodiscard]] constexpr std::uint64_t seed_of(bool back) { return back ? 2 : 1; }

// Word `index` of the stream of `seed`: the finaliser of splitmix64 (Steele, Lea, Flood, OOPSLA 2014) over a Weyl sequence.
[[nodiscard]] constexpr std::uint64_t word_of(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t word = (seed << 56U) + (index + 1) * 0x9e3779b97f4a7c15U;
  word = (word ^ (word >> 30U)) * 0xbf58476d1ce4e5b9U;
  word = (word ^ (word >> 27U)) * 0x94d049bb133111ebU;
  return word ^ (word >> 31U);
}
[[nodiscard]] constexpr std::byte byte_of(std::uint64_t seed, std::uint64_t index) {
  return static_cast<std::byte>(word_of(seed, index / word_bytes) >> (8 * (index % word_bytes)));
}

// Fills host memory. `change`: right or spoilt.
inline void fill(Bytes memory, std::uint64_t seed, std::uint64_t change) {
  for (std::size_t at = 0, index = 0; at < memory.size(); at += word_bytes, ++index) {
    const std::uint64_t word = word_of(seed, index) ^ change;
    std::memcpy(memory.data() + at, &word, std::min(word_bytes, memory.size() - at));
  }
}

[[nodiscard]] inline std::optional<CopyMistake> compare(ConstBytes memory, std::uint64_t seed) {
  std::optional<CopyMistake> mistake;
  for (std::size_t at = 0, index = 0; at < memory.size(); at += word_bytes, ++index) {
    const std::uint64_t word = word_of(seed, index);
    const std::size_t here = std::min(word_bytes, memory.size() - at);
    if (std::memcmp(memory.data() + at, &word, here) == 0) continue;
    for (std::size_t byte = at; byte < at + here; ++byte) {
      if (memory[byte] == byte_of(seed, byte)) continue;
      if (!mistake) mistake = CopyMistake{.byte = byte, .expected = byte_of(seed, byte), .got = memory[byte]};
      ++mistake->wrong;
    }
  }
  return mistake;
}

}  // namespace railgauge::copy_pattern
