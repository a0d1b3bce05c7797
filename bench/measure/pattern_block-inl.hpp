// How elements are made, a block of 256 at a time, by loops that compilers turn into SIMD code: once for each instruction set.
#include "bench/device/host/targets.hpp"
//
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "bench/measure/pattern_words.hpp"

#if defined(RAILGAUGE_PATTERN_BLOCK) == defined(HWY_TARGET_TOGGLE)
#ifdef RAILGAUGE_PATTERN_BLOCK
#undef RAILGAUGE_PATTERN_BLOCK
#else
#define RAILGAUGE_PATTERN_BLOCK
#endif

HWY_BEFORE_NAMESPACE();
namespace railgauge::pattern::HWY_NAMESPACE {

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

}  // namespace railgauge::pattern::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
