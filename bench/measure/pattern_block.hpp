// How the elements of bench/measure/pattern.hpp are made, a block of 256 at a time, by loops that compilers turn into SIMD code.
// Used by pattern.cpp alone.
//
// In each element the ranks have positions, (rank + index) mod ranks, so that every rank has every part one after the other:
//   sum, avg, premulsum of floats and avg of integers: a random number of as many bits as the mantissa has is shared out, each
//     bit to one position. Any partial sum is a subset of the bits, hence exact. One sign and one of eight powers of two for all.
//   sum, premulsum of integers: u(r) - u(r + 1), which telescopes to u(0) - u(ranks), modulo 2^n.
//   prod of integers: 1 + 2^(n/2) (u(r) - u(r + 1)), whose product telescopes too, and a random odd factor at position 0.
//   prod of floats: a random mantissa at position 0, 2 or 1/2 at positions 1 to 6, else 1; signs telescope.
//   min, max: a random number at position 0, and at all others random numbers on the other side of it.
#pragma once

#include <algorithm>
#include <bit>
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

inline std::uint32_t hash(std::uint32_t key, std::uint32_t index) {
  std::uint32_t x = key + index * 0x9e3779b1U;
  x = (x ^ (x >> 16)) * 0x85ebca6bU;
  x = (x ^ (x >> 13)) * 0xc2b2ae35U;
  return x ^ (x >> 16);
}

template <class W, std::size_t count = block_elements>
struct Words {
  alignas(64) W word[count];
  explicit Words(std::uint64_t key) {
    const auto low = static_cast<std::uint32_t>(key), high = static_cast<std::uint32_t>(key >> 32);
    for (std::uint32_t i = 0; i < count; ++i) {
      if constexpr (sizeof(W) == 8)
        word[i] = std::uint64_t{hash(high, i)} << 32 | hash(low, i);
      else
        word[i] = hash(low, i) ^ high;
    }
  }
};

// A number that the type holds exactly and normally, or zero.
template <Type type>
inline Stored<type> exactly(Number<type> value) {
  if constexpr (is_float<type> && sizeof(Stored<type>) < 4) {
    using Constants = element::Constants<element::Element<type>::format>;
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value), magnitude = bits & 0x7fffffffU;
    const std::uint32_t code = magnitude == 0 ? 0 : (magnitude - Constants::rebias) >> Constants::shift;
    return static_cast<Stored<type>>(code | bits >> 31 << (8 * sizeof(Stored<type>) - 1));
  } else {
    return value;
  }
}

// 2^exponent with the bits of a mantissa and a sign; 0 <= sign <= 1.
template <class F, class W>
inline F compose(W sign, int exponent, W mantissa) {
  constexpr int fraction = sizeof(F) == 8 ? 52 : 23;
  constexpr int bias = sizeof(F) == 8 ? 1023 : 127;
  return std::bit_cast<F>(static_cast<W>(sign << (8 * sizeof(F) - 1) | static_cast<W>(bias + exponent) << fraction | mantissa));
}

template <class F, class W>
inline F power(W choice, int least) {
  return compose<F, W>(0, least + static_cast<int>(choice & 7), 0);
}

// One block of one source, of one type.
template <Type type>
struct Block {
  using W = Word<type>;
  using S = std::make_signed_t<W>;
  using N = Number<type>;
  static constexpr int wide = static_cast<int>(8 * sizeof(Stored<type>));

  Stored<type>* target;
  std::uint64_t seed, block;
  Op op;
  std::uint64_t ranks, rank;  // rank is not used in reduced blocks
  const W* share;             // of element 0; null in reduced blocks
  W forced;

  [[nodiscard]] Words<W> words(std::uint64_t stream) const { return Words<W>(stream_key(seed, stream, block)); }
  [[nodiscard]] Words<W> common() const { return words(common_stream); }
  // u(r) and u(r + 1) of an input, u(0) and u(ranks) of the reduction.
  [[nodiscard]] Words<W> from() const { return words(1 + (share != nullptr ? rank : 0)); }
  [[nodiscard]] Words<W> to() const { return words(1 + (share != nullptr ? rank + 1 : ranks)); }
  // Whether what is made here will be doubled by premulsum.
  [[nodiscard]] bool halved() const { return op == Op::premulsum && share != nullptr && rank % 2 == 1; }

  template <bool reduced>
  void shared() const {
    constexpr int count = digits<type>();
    const Words<W> h = common();
    const int least = least_exponent - (halved() ? 1 : 0);
    const auto divisor = static_cast<std::uint32_t>(op == Op::avg ? ranks : 1);
    for (std::size_t i = 0; i < block_elements; ++i) {
      W value = (h.word[i] & low_bits<W>(count)) | forced;
      if constexpr (!reduced) value &= share[i];
      if constexpr (is_signed<type>) {
        const W sign = W{0} - (h.word[i] >> count & 1);
        value = (value ^ sign) - sign;
      }
      if constexpr (is_float<type>) {
        const N number = static_cast<N>(static_cast<S>(value)) * power<N, W>(h.word[i] >> (count + 1), least);
        if constexpr (reduced)
          target[i] = divisor == 1 ? exactly<type>(number) : element::Element<type>::stored(element::divide(number, divisor));
        else
          target[i] = exactly<type>(number);
      } else {
        target[i] = static_cast<Stored<type>>(value);
        if constexpr (reduced) target[i] = element::divide(target[i], divisor);
      }
    }
  }

  void wrapping_sum() const {
    const Words<W> a = from(), b = to();
    // premulsum: all u are even, so that what will be doubled can be halved.
    const W odd = op == Op::premulsum ? 1 : 0;
    const int shift = halved() ? 1 : 0;
    for (std::size_t i = 0; i < block_elements; ++i) {
      const W difference = (a.word[i] & ~odd) - (b.word[i] & ~odd);
      target[i] = static_cast<Stored<type>>((difference & low_bits<W>(wide)) >> shift);
    }
  }

  void wrapping_product() const {
    const Words<W> a = from(), b = to(), h = common();
    for (std::size_t i = 0; i < block_elements; ++i) {
      const W factor = (share != nullptr ? h.word[i] & share[i] : h.word[i]) | 1;
      target[i] = static_cast<Stored<type>>((1 + ((a.word[i] - b.word[i]) << (wide / 2))) * factor);
    }
  }

  template <bool reduced>
  void float_product() const {
    constexpr int fraction = digits<type>() - 1;
    constexpr int unused = (sizeof(N) == 8 ? 52 : 23) - fraction;
    const Words<W> a = from(), b = to(), h = common();
    const int positions = static_cast<int>(std::min<std::uint64_t>(ranks - 1, product_positions));
    for (std::size_t i = 0; i < block_elements; ++i) {
      const W sign = (a.word[i] ^ b.word[i]) & 1;
      W mantissa = h.word[i] & low_bits<W>(fraction);
      int exponent = 0;
      if constexpr (reduced) {
        const W choices = h.word[i] >> fraction & low_bits<W>(positions);
        for (int p = 0; p < product_positions; ++p) exponent += static_cast<int>(choices >> p & 1);
        exponent = 2 * exponent - positions;
      } else {
        const W choice = share[i] & ~low_bits<W>(fraction);
        const int doubled = (h.word[i] & choice) != 0 ? 1 : -1;
        exponent = choice != 0 ? doubled : 0;
        mantissa &= share[i];
      }
      target[i] = exactly<type>(compose<N, W>(sign, exponent, static_cast<W>(mantissa << unused)));
    }
  }

  template <bool reduced>
  void ordered() const {
    constexpr int count = is_float<type> ? digits<type>() + 1 : wide;
    constexpr W all = low_bits<W>(count);
    const Words<W> h = common(), mine = reduced ? h : from();
    // Made for max; min is the mirror image.
    const W mirror = op == Op::min ? all : 0;
    for (std::size_t i = 0; i < block_elements; ++i) {
      W value = h.word[i] & all;
      value += value == 0 ? 1 : 0;
      if constexpr (!reduced) {
        W less = value & mine.word[i];
        less -= less == value ? 1 : 0;
        value = (value & share[i]) | (less & ~share[i]);
      }
      value ^= mirror;
      if constexpr (is_float<type>) {
        const N number = static_cast<N>(static_cast<S>(value) - (S{1} << (count - 1)));
        target[i] = exactly<type>(number * power<N, W>(h.word[i] >> count, least_exponent));
      } else {
        target[i] = static_cast<Stored<type>>(is_signed<type> ? value ^ (W{1} << (wide - 1)) : value);
      }
    }
  }

  template <bool reduced>
  void make() const {
    const Family made = family<type>(op);
    if (made == Family::shared) return shared<reduced>();
    if (made == Family::ordered) return ordered<reduced>();
    if constexpr (is_float<type>) {
      float_product<reduced>();
    } else {
      if (made == Family::wrapping_sum)
        wrapping_sum();
      else
        wrapping_product();
    }
  }
};

}  // namespace railgauge::pattern
