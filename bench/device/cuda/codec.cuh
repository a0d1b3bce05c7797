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
};

template <>
struct Code<Type::float8_e4m3> : Float8<__NV_E4M3> {
  static __device__ std::uint8_t stored(float value) { return __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E4M3); }
};

template <>
struct Code<Type::float8_e5m2> : Float8<__NV_E5M2> {
  static __device__ std::uint8_t stored(float value) {
    constexpr float first_infinite = 61440;  // rounds to 65536
    const std::uint8_t code = __nv_cvt_float_to_fp8(value, __NV_SATFINITE, __NV_E5M2);
    if (value != value) return static_cast<std::uint8_t>(element::float8_e5m2.not_a_number);
    return fabsf(value) >= first_infinite ? static_cast<std::uint8_t>((code & 0x80U) | element::float8_e5m2.largest) : code;
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
    Stored stored[elements];
  };

  static __device__ void unpack(const uint4& raw, Number (&numbers)[elements]) {
    Word word;
    word.raw = raw;
#pragma unroll
    for (int i = 0; i < elements; ++i) numbers[i] = Code<type>::number(word.stored[i]);
  }
  static __device__ uint4 pack(const Number (&numbers)[elements]) {
    Word word;
#pragma unroll
    for (int i = 0; i < elements; ++i) word.stored[i] = Code<type>::stored(numbers[i]);
    return word.raw;
  }
};

}  // namespace railgauge::cuda
