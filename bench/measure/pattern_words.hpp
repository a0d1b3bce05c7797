// What elements of bench/measure/pattern.hpp consist of. Used by its .cpp files alone.
//
// In each element the ranks have positions, (rank + index) mod ranks, so that every rank has every part one after the other:
//   sum, avg, premulsum of floats and avg of integers: a random number of as many bits as the mantissa has is shared out, each
//     bit to one position. Any partial sum is a subset of the bits, hence exact. One sign and one of eight powers of two for all.
//   sum, premulsum of integers: u(r) - u(r + 1), which telescopes to u(0) - u(ranks), modulo 2^n.
//   prod of integers: 1 + 2^(n/2) (u(r) - u(r + 1)), whose product telescopes too, and a random odd factor at position 0.
//   prod of floats: a random mantissa at position 0, 2 or 1/2 at positions 1 to 6, else 1; signs telescope.
//   min, max: a random number at position 0, and at all others random numbers on the other side of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/words.hpp"
#include "bench/device/element.hpp"

namespace railgauge::pattern {

inline constexpr std::size_t block_elements = 256;
inline constexpr int least_exponent = -3;    // of the eight powers of two
inline constexpr int product_positions = 6;  // whose rank gives 2 or 1/2 to a product

template <Type type>
using Stored = typename element::Element<type>::Stored;
template <Type type>
using Number = typename element::Element<type>::Number;
// What the elements are computed in.
template <Type type>
using Word = std::conditional_t<sizeof(Stored<type>) == 8, std::uint64_t, std::uint32_t>;

// An element's bits.
template <Type type>
using Bits = std::conditional_t<sizeof(Stored<type>) == 1, std::uint8_t,
                                std::conditional_t<sizeof(Stored<type>) == 2, std::uint16_t,
                                                   std::conditional_t<sizeof(Stored<type>) == 4, std::uint32_t, std::uint64_t>>>;

template <Type type>
inline constexpr bool is_float = std::is_floating_point_v<Number<type>>;
template <Type type>
inline constexpr bool is_signed = is_float<type> || std::is_signed_v<Stored<type>>;

// Bits of an integer that the type holds exactly, without a sign.
template <Type type>
constexpr int digits() {
  if constexpr (!is_float<type>) return static_cast<int>(8 * sizeof(Stored<type>)) - (is_signed<type> ? 1 : 0);
  if constexpr (type == Type::float64) return 53;
  if constexpr (type == Type::float32) return 24;
  if constexpr (is_float<type> && sizeof(Stored<type>) < 4) return element::Element<type>::format.mantissa + 1;
}

template <class W>
constexpr W low_bits(int count) {
  return count >= static_cast<int>(8 * sizeof(W)) ? ~W{0} : static_cast<W>((W{1} << count) - 1);
}

enum class Family : std::uint8_t { shared, wrapping_sum, wrapping_product, float_product, ordered };

template <Type type>
constexpr Family family(Op op) {
  if (op == Op::min || op == Op::max) return Family::ordered;
  if (op == Op::prod) return is_float<type> ? Family::float_product : Family::wrapping_product;
  return is_float<type> || op == Op::avg ? Family::shared : Family::wrapping_sum;
}

inline std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 31)) * 0xd6e8feb86659fd93U;
  x = (x ^ (x >> 29)) * 0xa3ec647659359acdU;
  return x ^ (x >> 32);
}

// Independent streams of one seed: 0 is common to all ranks, 1 + r belongs to rank r, and senders of bits come after.
inline std::uint64_t stream_key(std::uint64_t seed, std::uint64_t stream, std::uint64_t block) {
  return mix(mix(mix(seed + 0x9e3779b97f4a7c15U) + stream * 0xc2b2ae3d27d4eb4fU) + block * 0x165667b19e3779f9U);
}
inline constexpr std::uint64_t common_stream = 0;
inline constexpr std::uint64_t bits_stream = std::uint64_t{1} << 40;

}  // namespace railgauge::pattern
