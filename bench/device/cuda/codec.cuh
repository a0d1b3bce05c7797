// Words of 16 bytes taken apart into numbers and put together again: element.hpp's conversions, by the instructions of the GPU
// where it has them, to the same bits.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>

#include "bench/device/cuda/partition.hpp"
#include "bench/device/element.hpp"

namespace railgauge::cuda {

// One element of the type. The general case converts as the definition is written.
template <Type type>
struct Code {
  using Element = element::Element<type>;
  using Stored = typename Element::Stored;
  using Number = typename Element::Number;
  static __device__ Number number(Stored stored) { return Element::number(stored); }
  static __device__ Stored stored(Number number) { return Element::stored(number); }
};

// The GPU's NaN is another than the one that is stored.
template <>
struct Code<Type::float16> {
  using Stored = std::uint16_t;
  using Number = float;
  static __device__ float number(std::uint16_t code) { return __half2float(__ushort_as_half(code)); }
  static __device__ std::uint16_t stored(float value) {
    const std::uint16_t code = __half_as_ushort(__float2half_rn(value));
    return value != value ? static_cast<std::uint16_t>(element::float16.not_a_number) : code;
  }
};

template <>
struct Code<Type::bfloat16> {
  using Stored = std::uint16_t;
  using Number = float;
  static __device__ float number(std::uint16_t code) { return __uint_as_float(std::uint32_t{code} << 16); }
  static __device__ std::uint16_t stored(float value) {
    const std::uint16_t code = __bfloat16_as_ushort(__float2bfloat16_rn(value));
    return value != value ? static_cast<std::uint16_t>(element::bfloat16.not_a_number) : code;
  }
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
// Since Ada; older ones convert by integer arithmetic.
template <__nv_fp8_interpretation_t interpretation>
struct Float8 {
  using Stored = std::uint8_t;
  using Number = float;
  static __device__ float number(std::uint8_t code) {
    return __half2float(__half(__nv_cvt_fp8_to_halfraw(code, interpretation)));
  }
  // Four at a time: instructions convert pairs.
  static __device__ void numbers(std::uint32_t codes, float* to) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const __half2_raw pair =
          __nv_cvt_fp8x2_to_halfraw2(static_cast<__nv_fp8x2_storage_t>(codes >> (16 * half)), interpretation);
      const float2 both = __half22float2(__half2(pair));
      to[2 * half] = both.x;
      to[2 * half + 1] = both.y;
    }
  }
  static __device__ std::uint32_t saturated(const float* from) {
    const std::uint32_t low = __nv_cvt_float2_to_fp8x2({from[0], from[1]}, __NV_SATFINITE, interpretation);
    const std::uint32_t high = __nv_cvt_float2_to_fp8x2({from[2], from[3]}, __NV_SATFINITE, interpretation);
    return high << 16 | low;
  }
};

template <>
struct Code<Type::float8_e4m3> : Float8<__NV_E4M3> {
  static __device__ std::uint8_t stored(float value) { return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3); }
  static __device__ std::uint32_t codes(const float* from) { return saturated(from); }
};

template <>
struct Code<Type::float8_e5m2> : Float8<__NV_E5M2> {
  static constexpr float first_infinite = 61440;  // rounds to 65536
  static __device__ std::uint8_t stored(float value) {
    const std::uint8_t code = __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E5M2);
    if (value != value) return static_cast<std::uint8_t>(element::float8_e5m2.not_a_number);
    return fabsf(value) >= first_infinite ? static_cast<std::uint8_t>((code & 0x80U) | element::float8_e5m2.largest) : code;
  }
  // What is as large as a number can be may be too large, and is looked at once more.
  static __device__ std::uint32_t codes(const float* from) {
    constexpr std::uint32_t magnitudes = 0x7f7f7f7f, signs = 0x80808080, to_largest = 0x05050505;  // 0x7b is the largest number
    std::uint32_t codes = saturated(from);
    if ((((codes & magnitudes) + to_largest) & signs) != 0) {
      // 0x7b that is too large becomes 0x7c, and the GPU's NaN, 0x7f, the one that is stored.
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (fabsf(from[i]) >= first_infinite) codes += 1U << (8 * i);
        if (from[i] != from[i]) codes -= 1U << (8 * i);
      }
    }
    return codes;
  }
};
#endif

// A word as it lies in memory, and the Numbers of its elements.
template <Type type>
struct Words {
  using Stored = typename Code<type>::Stored;
  using Number = typename Code<type>::Number;
  static constexpr int elements = static_cast<int>(word_bytes / sizeof(Stored));
  union Word {
    uint4 raw;
    std::uint32_t fours[4];  // 4 bytes each
    Stored stored[elements];
  };

  // Whether four are converted at a time.
  static constexpr bool by_fours = requires(Number* numbers) { Code<type>::numbers(0U, numbers); };

  // A word is unpacked by parts: four, where four are converted at a time.
  static constexpr int parts = by_fours ? 4 : 1, of_part = elements / parts;

  static __device__ void unpack_part(const uint4& raw, int part, Number* numbers) {
    Word word;
    word.raw = raw;
    if constexpr (by_fours) {
      Code<type>::numbers(word.fours[part], numbers);
    } else {
#pragma unroll
      for (int i = 0; i < elements; ++i) numbers[i] = Code<type>::number(word.stored[i]);
    }
  }
  static __device__ void unpack(const uint4& raw, Number (&numbers)[elements]) {
#pragma unroll
    for (int part = 0; part < parts; ++part) unpack_part(raw, part, numbers + part * of_part);
  }
  static __device__ uint4 pack(const Number (&numbers)[elements]) {
    Word word;
    if constexpr (by_fours) {
#pragma unroll
      for (int i = 0; i < 4; ++i) word.fours[i] = Code<type>::codes(numbers + 4 * i);
    } else {
#pragma unroll
      for (int i = 0; i < elements; ++i) word.stored[i] = Code<type>::stored(numbers[i]);
    }
    return word.raw;
  }
};

}  // namespace railgauge::cuda
