// Vectors of one element type: how a vector of bytes is taken apart into numbers, what the operations do to them, and how
// they are put together again. The vector form of bench/device/element.hpp, to the same bits. Compiled once for each instruction
// set.
#include <hwy/highway.h>

#include <cstdint>
#include <type_traits>

#include "base/words.hpp"
#include "bench/device/element.hpp"

#if defined(RAILGAUGE_HOST_LANES) == defined(HWY_TARGET_TOGGLE)
#ifdef RAILGAUGE_HOST_LANES
#undef RAILGAUGE_HOST_LANES
#else
#define RAILGAUGE_HOST_LANES
#endif

HWY_BEFORE_NAMESPACE();
namespace railgauge::host::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using ByteTag = hn::ScalableTag<std::uint8_t>;
using Word = hn::Vec<ByteTag>;  // a vector as it lies in memory
using FloatTag = hn::ScalableTag<float>;
using IntTag = hn::ScalableTag<std::int32_t>;
using UintTag = hn::ScalableTag<std::uint32_t>;
using Floats = hn::Vec<FloatTag>;
using Ints = hn::Vec<IntTag>;

// A lane takes a Word apart into `parts` vectors of Numbers and puts them together again. The order of the parts means nothing.
template <class Tag_, int parts_>
struct Numbers {
  using Tag = Tag_;
  using Number = hn::TFromD<Tag>;
  using PartVector = hn::Vec<Tag>;
  static constexpr int parts = parts_;
  struct Value {
    PartVector part[parts];
  };
};

template <class T>
struct NativeLane : Numbers<hn::ScalableTag<T>, 1> {
  using Value = typename Numbers<hn::ScalableTag<T>, 1>::Value;
  static HWY_INLINE Value unpack(Word word) { return {{hn::BitCast(hn::ScalableTag<T>(), word)}}; }
  static HWY_INLINE Word pack(const Value& value) { return hn::BitCast(ByteTag(), value.part[0]); }
};

// Left by `count` bits, or right (sign bits come in) when it is negative.
template <int count>
HWY_INLINE Ints shift(Ints bits) {
  if constexpr (count > 0) {
    return hn::ShiftLeft<count>(bits);
  } else if constexpr (count < 0) {
    return hn::ShiftRight<-count>(bits);
  } else {
    return bits;
  }
}

constexpr std::int32_t as_int(std::uint32_t bits) { return static_cast<std::int32_t>(bits); }

// Small formats stay in lanes of 32 bits, 2 or 4 codes in each: part p is bits [p * size, (p + 1) * size) of all lanes, so that
// nothing moves across lanes.
template <element::Format format>
struct SmallLane : Numbers<FloatTag, 32 / format.bits> {
  using Base = Numbers<FloatTag, 32 / format.bits>;
  using Value = typename Base::Value;
  using C = element::Constants<format>;

  template <int p>
  static HWY_INLINE Floats decode(Ints word) {
    const IntTag di;
    const FloatTag df;
    const Ints sign = hn::And(shift<32 - (p + 1) * format.bits>(word), hn::Set(di, INT32_MIN));
    const Ints magnitude = hn::And(shift<C::shift - p * format.bits>(word), hn::Set(di, as_int(C::magnitude << C::shift)));
    Ints bits = magnitude;
    if constexpr (C::rebias != 0) {
      bits = hn::Add(magnitude, hn::Set(di, as_int(C::rebias)));
      const Ints raised = hn::Add(magnitude, hn::Set(di, as_int(C::least_normal)));
      const Floats least = hn::BitCast(df, hn::Set(di, as_int(C::least_normal)));
      const Ints subnormal = hn::BitCast(di, hn::Sub(hn::BitCast(df, raised), least));
      bits = hn::IfThenElse(hn::Lt(magnitude, hn::Set(di, 1 << 23)), subnormal, bits);
      if constexpr (format.infinity) {
        const auto special = hn::Gt(magnitude, hn::Set(di, as_int(C::largest_exponent - 1)));
        bits = hn::IfThenElse(special, hn::Add(bits, hn::Set(di, as_int(C::rebias))), bits);
      } else {
        const auto special = hn::Eq(magnitude, hn::Set(di, as_int(format.not_a_number << C::shift)));
        bits = hn::IfThenElse(special, hn::Set(di, 0x7fc00000), bits);
      }
    }
    return hn::BitCast(df, hn::Or(bits, sign));
  }

  template <int p>
  static HWY_INLINE Ints encode(Floats value) {
    const IntTag di;
    const UintTag du;
    const FloatTag df;
    const Ints sign = hn::And(hn::BitCast(di, value), hn::Set(di, INT32_MIN));
    const Ints magnitude = hn::AndNot(hn::Set(di, INT32_MIN), hn::BitCast(di, value));
    const Ints moved = hn::Sub(magnitude, hn::Set(di, as_int(C::rebias)));
    const Ints odd = hn::And(hn::ShiftRight<C::shift>(moved), hn::Set(di, 1));
    const Ints half = hn::Set(di, (1 << (C::shift - 1)) - 1);
    Ints code = hn::ShiftRight<C::shift>(hn::Add(hn::Add(moved, half), odd));
    if constexpr (C::rebias != 0) {
      code = hn::Min(code, hn::Set(di, as_int(format.largest)));
      const Ints magic = hn::Set(di, as_int(C::magic));
      const Ints subnormal = hn::Sub(hn::BitCast(di, hn::Add(hn::BitCast(df, magnitude), hn::BitCast(df, magic))), magic);
      code = hn::IfThenElse(hn::Lt(magnitude, hn::Set(di, as_int(C::least_normal))), subnormal, code);
    }
    code = shift<p * format.bits>(code);
    code = hn::Or(code, hn::BitCast(di, hn::ShiftRight<32 - (p + 1) * format.bits>(hn::BitCast(du, sign))));
    return hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, 0x7f800000)),
                          hn::Set(di, as_int(format.not_a_number << (p * format.bits))), code);
  }

  static HWY_INLINE Value unpack(Word bytes) {
    const Ints word = hn::BitCast(IntTag(), bytes);
    if constexpr (Base::parts == 2) {
      return {{decode<0>(word), decode<1>(word)}};
    } else {
      return {{decode<0>(word), decode<1>(word), decode<2>(word), decode<3>(word)}};
    }
  }
  static HWY_INLINE Word pack(const Value& value) {
    const Ints low = hn::Or(encode<0>(value.part[0]), encode<1>(value.part[1]));
    if constexpr (Base::parts == 4)
      return hn::BitCast(ByteTag(), hn::Or(low, hn::Or(encode<2>(value.part[2]), encode<3>(value.part[3]))));
    else
      return hn::BitCast(ByteTag(), low);
  }
};

// bfloat16 is the upper half of a float32, so the sign needs no care: rounding carries below it.
struct BrainLane : Numbers<FloatTag, 2> {
  static HWY_INLINE Ints encode(Floats value) {  // the code in the upper half, the lower undefined
    const IntTag di;
    const Ints bits = hn::BitCast(di, value);
    const Ints odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(di, 1));
    const Ints rounded = hn::Add(hn::Add(bits, hn::Set(di, 0x7fff)), odd);
    const Ints not_a_number = hn::Set(di, as_int(element::bfloat16.not_a_number << 16));
    return hn::BitCast(di,
                       hn::IfThenElse(hn::IsNaN(value), hn::BitCast(FloatTag(), not_a_number), hn::BitCast(FloatTag(), rounded)));
  }
  static HWY_INLINE Value unpack(Word bytes) {
    const IntTag di;
    const FloatTag df;
    const Ints word = hn::BitCast(di, bytes);
    return {{hn::BitCast(df, hn::ShiftLeft<16>(word)), hn::BitCast(df, hn::And(word, hn::Set(di, as_int(0xffff0000U))))}};
  }
  static HWY_INLINE Word pack(const Value& value) {
    const UintTag du;
    const auto low = hn::ShiftRight<16>(hn::BitCast(du, encode(value.part[0])));
    const auto high = hn::And(hn::BitCast(du, encode(value.part[1])), hn::Set(du, 0xffff0000U));
    return hn::BitCast(ByteTag(), hn::Or(low, high));
  }
};

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
// The processor converts halves exactly as we do (it rounds to nearest even as told by the instruction), but for the bits of a
// NaN.
struct HalfLane : Numbers<FloatTag, 2> {
  using Tag16 = hn::Repartition<std::uint16_t, ByteTag>;
  using HalfTag16 = hn::Rebind<std::uint16_t, FloatTag>;
  using HalfTag = hn::Rebind<hwy::float16_t, FloatTag>;

  static HWY_INLINE Floats decode(hn::Vec<HalfTag16> codes) { return hn::PromoteTo(FloatTag(), hn::BitCast(HalfTag(), codes)); }
  static HWY_INLINE hn::Vec<HalfTag16> encode(Floats value) {
    const Floats not_a_number = hn::BitCast(FloatTag(), hn::Set(IntTag(), 0x7fc00000));
    const Floats canonical = hn::IfThenElse(hn::IsNaN(value), not_a_number, value);
    return hn::BitCast(HalfTag16(), hn::DemoteTo(HalfTag(), canonical));
  }
  static HWY_INLINE Value unpack(Word bytes) {
    const auto codes = hn::BitCast(Tag16(), bytes);
    return {{decode(hn::LowerHalf(HalfTag16(), codes)), decode(hn::UpperHalf(HalfTag16(), codes))}};
  }
  static HWY_INLINE Word pack(const Value& value) {
    return hn::BitCast(ByteTag(), hn::Combine(Tag16(), encode(value.part[1]), encode(value.part[0])));
  }
};
#else
using HalfLane = SmallLane<element::float16>;
#endif

template <Type type>
struct LaneOf {
  using VectorLane = NativeLane<typename element::Element<type>::Stored>;
};
template <>
struct LaneOf<Type::float16> {
  using VectorLane = HalfLane;
};
template <>
struct LaneOf<Type::bfloat16> {
  using VectorLane = BrainLane;
};
template <>
struct LaneOf<Type::float8_e4m3> {
  using VectorLane = SmallLane<element::float8_e4m3>;
};
template <>
struct LaneOf<Type::float8_e5m2> {
  using VectorLane = SmallLane<element::float8_e5m2>;
};

// Highway 1.0 multiplies neither 8-bit nor, on every target, 64-bit integers.
template <class Tag>
HWY_INLINE hn::Vec<Tag> multiply(Tag d, hn::Vec<Tag> a, hn::Vec<Tag> b) {
  using T = hn::TFromD<Tag>;
  if constexpr (sizeof(T) == 1) {
    const hn::Repartition<std::uint16_t, Tag> d16;
    const auto a16 = hn::BitCast(d16, a);
    const auto b16 = hn::BitCast(d16, b);
    const auto low = hn::And(hn::Mul(a16, b16), hn::Set(d16, 0x00ff));
    const auto high = hn::Mul(hn::ShiftRight<8>(a16), hn::And(b16, hn::Set(d16, 0xff00)));
    return hn::BitCast(d, hn::Or(low, high));
  } else if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
    const hn::Repartition<std::uint32_t, Tag> d32;
    const hn::Repartition<std::uint64_t, Tag> d64;
    const auto a64 = hn::BitCast(d64, a);
    const auto b64 = hn::BitCast(d64, b);
    const auto a_low = hn::BitCast(d32, a64);
    const auto b_low = hn::BitCast(d32, b64);
    const auto a_high = hn::BitCast(d32, hn::ShiftRight<32>(a64));
    const auto b_high = hn::BitCast(d32, hn::ShiftRight<32>(b64));
    const auto cross = hn::Add(hn::MulEven(a_low, b_high), hn::MulEven(a_high, b_low));
    return hn::BitCast(d, hn::Add(hn::MulEven(a_low, b_low), hn::ShiftLeft<32>(cross)));
  } else {
    return hn::Mul(a, b);
  }
}

// element::combine for vectors.
template <Op op, class Tag>
HWY_INLINE hn::Vec<Tag> combine(Tag d, hn::Vec<Tag> a, hn::Vec<Tag> b) {
  constexpr bool floating = std::is_floating_point_v<hn::TFromD<Tag>>;
  if constexpr (op == Op::prod) {
    return multiply(d, a, b);
  } else if constexpr (op == Op::min && floating) {
    return hn::IfThenElse(hn::Or(hn::Lt(b, a), hn::IsNaN(b)), b, a);
  } else if constexpr (op == Op::max && floating) {
    return hn::IfThenElse(hn::Or(hn::Lt(a, b), hn::IsNaN(b)), b, a);
  } else if constexpr (op == Op::min) {
    return hn::Min(a, b);
  } else if constexpr (op == Op::max) {
    return hn::Max(a, b);
  } else {
    return hn::Add(a, b);
  }
}

template <class Tag>
HWY_INLINE hn::Vec<Tag> divide(Tag d, hn::Vec<Tag> value, std::uint32_t divisor) {
  using T = hn::TFromD<Tag>;
  if constexpr (std::is_floating_point_v<T>) {
    return hn::Div(value, hn::Set(d, static_cast<T>(divisor)));
  } else {  // no instruction set divides vectors of integers
    HWY_ALIGN T numbers[hn::MaxLanes(d)];
    hn::Store(value, d, numbers);
    for (T& number : numbers) number = element::divide(number, divisor);
    return hn::Load(d, numbers);
  }
}

}  // namespace railgauge::host::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
