// The arithmetic of one element of each type: its conversion to and from the number it is reduced in, and every operation on it.
// All devices and the check of the data agree with this definition, bit for bit.
//
// Plain constexpr functions of the C++ core language, so that a device compiler takes them as they are. Whoever includes this
// header must compile without contraction of a * b + c into one rounding (-ffp-contract=off, nvcc: -fmad=false).
//
// Rules:
// - Halves, bfloat16 and float8 are reduced in float32 and rounded to nearest even, once. Subnormals are kept.
// - A NaN of such a type is stored as the one positive quiet NaN of the type, so that all machines give the same bits. In float32
//   and float64 a NaN stays a NaN, but its sign and payload are the machine's.
// - Overflow becomes an infinity in float16, bfloat16 and float8_e5m2. float8_e4m3 is OCP's E4M3FN, which has none: overflow,
//   and an infinity too, becomes there 448 with its sign, as the saturating conversion of OCP and of CUDA has it.
// - Sums and products of integers wrap around. A quotient is truncated towards zero. A factor of premulsum is converted to the
//   type first: truncated towards zero, clamped to 64 bits, then wrapped; so 2.9 multiplies by 2, and NaN by 0.
// - min and max of a NaN and anything is NaN. Of equal numbers the first is taken: max(-0, +0) is -0.
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/words.hpp"

namespace railgauge::element {

// A floating-point format of at most 16 bits: 1 sign, then the exponent, then `mantissa` bits.
struct Format {
  int bits;
  int mantissa;
  int bias;
  bool infinity;               // the largest exponent means infinity and NaN; else only the code `not_a_number` is special
  std::uint32_t largest;       // what too large a number becomes, without sign
  std::uint32_t not_a_number;  // the NaN that is stored
};

inline constexpr Format float16 = {16, 10, 15, true, 0x7c00, 0x7e00};
inline constexpr Format bfloat16 = {16, 7, 127, true, 0x7f80, 0x7fc0};
inline constexpr Format float8_e4m3 = {8, 3, 7, false, 0x7e, 0x7f};
inline constexpr Format float8_e5m2 = {8, 2, 15, true, 0x7c, 0x7e};

// Constants of the conversion between a format and float32, as bits of a float32.
template <Format format>
struct Constants {
  static constexpr int shift = 23 - format.mantissa;                         // mantissa to the place of float32's
  static constexpr std::uint32_t magnitude = (1U << (format.bits - 1)) - 1;  // a code without its sign
  static constexpr std::uint32_t rebias = static_cast<std::uint32_t>(127 - format.bias) << 23;
  static constexpr std::uint32_t least_normal = rebias + (1U << 23);  // the smallest normal number
  static constexpr std::uint32_t largest_exponent = (magnitude >> format.mantissa) << 23;
  // The power of two whose unit in the last place is the smallest subnormal: adding it rounds a small number to a multiple of
  // that.
  static constexpr std::uint32_t magic = static_cast<std::uint32_t>(127 + 24 - format.bias - format.mantissa) << 23;
};

constexpr float float_of(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }
constexpr std::uint32_t bits_of(float value) { return __builtin_bit_cast(std::uint32_t, value); }

// Exact.
template <Format format>
constexpr float decode(std::uint32_t code) {
  using C = Constants<format>;
  const std::uint32_t sign = code >> (format.bits - 1) << 31;
  const std::uint32_t magnitude = (code & C::magnitude) << C::shift;
  std::uint32_t bits = magnitude + C::rebias;
  if (C::rebias != 0 && magnitude < (1U << 23)) {
    bits = bits_of(float_of(magnitude + C::least_normal) - float_of(C::least_normal));
  } else if (format.infinity && magnitude >= C::largest_exponent) {
    bits += C::rebias;
  } else if (!format.infinity && magnitude == format.not_a_number << C::shift) {
    bits = 0x7fc00000U;
  }
  return float_of(bits | sign);
}

// Rounds to nearest, ties to even.
template <Format format>
constexpr std::uint32_t encode(float value) {
  using C = Constants<format>;
  const std::uint32_t sign = bits_of(value) >> 31 << (format.bits - 1);
  const std::uint32_t magnitude = bits_of(value) & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return format.not_a_number;
  if (C::rebias != 0 && magnitude < C::least_normal) {
    return (bits_of(float_of(magnitude) + float_of(C::magic)) - C::magic) | sign;
  }
  const std::uint32_t moved = magnitude - C::rebias;
  const std::uint32_t odd = (moved >> C::shift) & 1U;
  const std::uint32_t code = (moved + ((1U << (C::shift - 1)) - 1) + odd) >> C::shift;
  return (code < format.largest ? code : format.largest) | sign;
}

// Element<type>: what it is stored as, the Number it is reduced in, and the conversions between the two.
template <class T>
struct Native {
  using Stored = T;
  using Number = T;
  static constexpr Number number(Stored stored) { return stored; }
  static constexpr Stored stored(Number number) { return number; }
};
template <class S, Format format_>
struct Small {
  static constexpr Format format = format_;
  using Stored = S;
  using Number = float;
  static constexpr Number number(Stored stored) { return decode<format>(stored); }
  static constexpr Stored stored(Number number) { return static_cast<Stored>(encode<format>(number)); }
};
template <Type type>
struct Element;
template <>
struct Element<Type::int8> : Native<std::int8_t> {};
template <>
struct Element<Type::uint8> : Native<std::uint8_t> {};
template <>
struct Element<Type::int32> : Native<std::int32_t> {};
template <>
struct Element<Type::uint32> : Native<std::uint32_t> {};
template <>
struct Element<Type::int64> : Native<std::int64_t> {};
template <>
struct Element<Type::uint64> : Native<std::uint64_t> {};
template <>
struct Element<Type::float16> : Small<std::uint16_t, float16> {};
template <>
struct Element<Type::bfloat16> : Small<std::uint16_t, bfloat16> {};
template <>
struct Element<Type::float32> : Native<float> {};
template <>
struct Element<Type::float64> : Native<double> {};
template <>
struct Element<Type::float8_e4m3> : Small<std::uint8_t, float8_e4m3> {};
template <>
struct Element<Type::float8_e5m2> : Small<std::uint8_t, float8_e5m2> {};

// Calls call.template operator()<type>() for a type that is known only at run time.
template <class Call>
constexpr decltype(auto) with_type(Type type, Call&& call) {
  switch (type) {
    case Type::int8:
      return call.template operator()<Type::int8>();
    case Type::uint8:
      return call.template operator()<Type::uint8>();
    case Type::int32:
      return call.template operator()<Type::int32>();
    case Type::uint32:
      return call.template operator()<Type::uint32>();
    case Type::int64:
      return call.template operator()<Type::int64>();
    case Type::uint64:
      return call.template operator()<Type::uint64>();
    case Type::float16:
      return call.template operator()<Type::float16>();
    case Type::bfloat16:
      return call.template operator()<Type::bfloat16>();
    case Type::float32:
      return call.template operator()<Type::float32>();
    case Type::float64:
      return call.template operator()<Type::float64>();
    case Type::float8_e4m3:
      return call.template operator()<Type::float8_e4m3>();
    case Type::float8_e5m2:
      break;
  }
  return call.template operator()<Type::float8_e5m2>();
}

template <class Number>
constexpr Number multiply(Number a, Number b) {
  if constexpr (std::is_floating_point_v<Number>) {
    return a * b;
  } else {
    return static_cast<Number>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }
}

// What two numbers become; avg and premulsum are sums here, their scaling is apart. Op::none keeps the first.
template <class Number>
constexpr Number combine(Op op, Number a, Number b) {
  switch (op) {
    case Op::none:
      return a;
    case Op::prod:
      return multiply(a, b);
    case Op::min:
      return b < a || b != b ? b : a;
    case Op::max:
      return a < b || b != b ? b : a;
    case Op::sum:
    case Op::avg:
    case Op::premulsum:
      break;
  }
  if constexpr (std::is_floating_point_v<Number>) {
    return a + b;
  } else {
    return static_cast<Number>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
  }
}

// A factor of premulsum as a Number.
template <class Number>
constexpr Number factor(double value) {
  if constexpr (std::is_floating_point_v<Number>) {
    return static_cast<Number>(value);
  } else {
    constexpr double two_to_63 = 9223372036854775808.0;
    if (value != value) return 0;
    if (value <= -two_to_63) return static_cast<Number>(INT64_MIN);
    if (value < two_to_63) return static_cast<Number>(static_cast<std::int64_t>(value));
    if constexpr (!std::is_same_v<Number, std::uint64_t>) return static_cast<Number>(INT64_MAX);
    return static_cast<Number>(value < 2 * two_to_63 ? static_cast<std::uint64_t>(value) : UINT64_MAX);
  }
}

// The division of avg. A divisor of 0 or 1 changes nothing.
template <class Number>
constexpr Number divide(Number value, std::uint32_t divisor) {
  if (divisor <= 1) return value;
  if constexpr (std::is_floating_point_v<Number>) {
    return value / static_cast<Number>(divisor);
  } else if constexpr (std::is_signed_v<Number>) {
    return static_cast<Number>(static_cast<std::int64_t>(value) / static_cast<std::int64_t>(divisor));
  } else {
    return static_cast<Number>(static_cast<std::uint64_t>(value) / divisor);
  }
}

}  // namespace railgauge::element
