/* What each form of an instruction calculates, by the PTX ISA. Registers are unsigned words of 8 (predicates), 16, 32 and 64 bits; a
   result of a signed type is widened with its sign where the register is wider. Points of a form's name are underlines here.
   What the ISA leaves open is as an H200 does it: a division by zero gives all ones, and so does its remainder. */
#ifndef SOFTGPU_SEMANTICS_H
#define SOFTGPU_SEMANTICS_H

#include "tests/softgpu/machine/abi.h"

typedef uint8_t sg_pred;
typedef uint8_t sg_u8, sg_b8;
typedef uint16_t sg_u16, sg_b16;
typedef uint32_t sg_u32, sg_b32;
typedef uint64_t sg_u64, sg_b64;
typedef int8_t sg_s8;
typedef int16_t sg_s16;
typedef int32_t sg_s32;
typedef int64_t sg_s64;
typedef uint32_t sg_f32; /* bits */
typedef uint64_t sg_f64;
#define SG static inline __attribute__((unused))

#define SG_EACH_INT(M) M(s16, u16) M(u16, u16) M(s32, u32) M(u32, u32) M(s64, u64) M(u64, u64)
#define SG_EACH_WIDTH(M) M(16) M(32) M(64)

/* Wrap around by the width. `U` is the unsigned type: no overflow of a signed one, and no promotion of 16 bits to int. */
#define SG_INT(T, U)                                                                                          \
  SG sg_##T sg_add_##T(sg_##T a, sg_##T b) { return (sg_##T)((uint64_t)(sg_##U)a + (sg_##U)b); }             \
  SG sg_##T sg_sub_##T(sg_##T a, sg_##T b) { return (sg_##T)((uint64_t)(sg_##U)a - (sg_##U)b); }             \
  SG sg_##T sg_mul_lo_##T(sg_##T a, sg_##T b) { return (sg_##T)((uint64_t)(sg_##U)a * (sg_##U)b); }          \
  SG sg_##T sg_mad_lo_##T(sg_##T a, sg_##T b, sg_##T c) { return (sg_##T)((uint64_t)(sg_##U)a * (sg_##U)b + (sg_##U)c); } \
  SG sg_##T sg_min_##T(sg_##T a, sg_##T b) { return a < b ? a : b; }                                         \
  SG sg_##T sg_max_##T(sg_##T a, sg_##T b) { return a > b ? a : b; }                                         \
  SG sg_##T sg_shr_##T(sg_##T a, uint32_t by) {                                                              \
    const uint32_t width = 8 * sizeof a;                                                                      \
    if (by >= width) return (sg_##T)(a < 0 ? -1 : 0);                                                        \
    return (sg_##T)(a >> by);                                                                                \
  }                                                                                                           \
  SG sg_##T sg_div_##T(sg_##T a, sg_##T b) {                                                                 \
    if (b == 0) return (sg_##T)-1;                                                                           \
    if ((sg_##T)-1 < 0 && b == (sg_##T)-1) return (sg_##T)(0 - (uint64_t)(sg_##U)a);                         \
    return (sg_##T)(a / b);                                                                                  \
  }                                                                                                           \
  SG sg_##T sg_rem_##T(sg_##T a, sg_##T b) {                                                                 \
    if (b == 0) return (sg_##T)-1;                                                                                  \
    if ((sg_##T)-1 < 0 && b == (sg_##T)-1) return 0;                                                         \
    return (sg_##T)(a % b);                                                                                  \
  }
SG_EACH_INT(SG_INT)

#define SG_SIGNED(T, U)                                                                \
  SG sg_##T sg_neg_##T(sg_##T a) { return (sg_##T)(0 - (uint64_t)(sg_##U)a); }        \
  SG sg_##T sg_abs_##T(sg_##T a) { return a < 0 ? (sg_##T)(0 - (uint64_t)(sg_##U)a) : a; }
SG_SIGNED(s16, u16)
SG_SIGNED(s32, u32)
SG_SIGNED(s64, u64)

SG uint32_t sg_mul_wide_u16(uint16_t a, uint16_t b) { return (uint32_t)a * b; }
SG int32_t sg_mul_wide_s16(int16_t a, int16_t b) { return (int32_t)a * b; }
SG uint64_t sg_mul_wide_u32(uint32_t a, uint32_t b) { return (uint64_t)a * b; }
SG int64_t sg_mul_wide_s32(int32_t a, int32_t b) { return (int64_t)a * b; }
SG uint32_t sg_mul_hi_u32(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); }
SG int32_t sg_mul_hi_s32(int32_t a, int32_t b) { return (int32_t)((int64_t)a * b >> 32); }
SG uint64_t sg_mul_hi_u64(uint64_t a, uint64_t b) { return (uint64_t)((unsigned __int128)a * b >> 64); }

#define SG_BITS(W)                                                                                   \
  SG sg_u##W sg_and_b##W(sg_u##W a, sg_u##W b) { return (sg_u##W)(a & b); }                         \
  SG sg_u##W sg_or_b##W(sg_u##W a, sg_u##W b) { return (sg_u##W)(a | b); }                          \
  SG sg_u##W sg_xor_b##W(sg_u##W a, sg_u##W b) { return (sg_u##W)(a ^ b); }                         \
  SG sg_u##W sg_not_b##W(sg_u##W a) { return (sg_u##W)~a; }                                         \
  SG sg_u##W sg_shl_b##W(sg_u##W a, uint32_t by) { return by >= W ? 0 : (sg_u##W)((uint64_t)a << by); } \
  SG sg_u##W sg_mov_b##W(sg_u##W a) { return a; }                                                   \
  SG sg_u##W sg_mov_u##W(sg_u##W a) { return a; }                                                   \
  SG sg_s##W sg_mov_s##W(sg_s##W a) { return a; }                                                   \
  SG sg_u##W sg_selp_b##W(sg_u##W a, sg_u##W b, sg_pred c) { return c ? a : b; }                    \
  SG sg_u##W sg_selp_u##W(sg_u##W a, sg_u##W b, sg_pred c) { return c ? a : b; }                    \
  SG sg_s##W sg_selp_s##W(sg_s##W a, sg_s##W b, sg_pred c) { return c ? a : b; }
SG_EACH_WIDTH(SG_BITS)
SG uint32_t sg_mov_f32(uint32_t a) { return a; }
SG uint64_t sg_mov_f64(uint64_t a) { return a; }
SG uint32_t sg_selp_f32(uint32_t a, uint32_t b, sg_pred c) { return c ? a : b; }
SG uint64_t sg_selp_f64(uint64_t a, uint64_t b, sg_pred c) { return c ? a : b; }
SG sg_pred sg_and_pred(sg_pred a, sg_pred b) { return a & b; }
SG sg_pred sg_or_pred(sg_pred a, sg_pred b) { return a | b; }
SG sg_pred sg_xor_pred(sg_pred a, sg_pred b) { return a ^ b; }
SG sg_pred sg_not_pred(sg_pred a) { return !a; }
SG sg_pred sg_mov_pred(sg_pred a) { return a; }

#define SG_COMPARE(T)                                                          \
  SG sg_pred sg_setp_eq_##T(sg_##T a, sg_##T b) { return a == b; }            \
  SG sg_pred sg_setp_ne_##T(sg_##T a, sg_##T b) { return a != b; }            \
  SG sg_pred sg_setp_lt_##T(sg_##T a, sg_##T b) { return a < b; }             \
  SG sg_pred sg_setp_le_##T(sg_##T a, sg_##T b) { return a <= b; }            \
  SG sg_pred sg_setp_gt_##T(sg_##T a, sg_##T b) { return a > b; }             \
  SG sg_pred sg_setp_ge_##T(sg_##T a, sg_##T b) { return a >= b; }
#define SG_COMPARE_INT(T, U) SG_COMPARE(T)
SG_EACH_INT(SG_COMPARE_INT)
SG_COMPARE(b16)
SG_COMPARE(b32)
SG_COMPARE(b64)

SG float sg_float(uint32_t bits) {
  float value;
  __builtin_memcpy(&value, &bits, 4);
  return value;
}
SG double sg_double(uint64_t bits) {
  double value;
  __builtin_memcpy(&value, &bits, 8);
  return value;
}
/* A NaN that arithmetic gives is the canonical one in single precision, whatever came in. */
SG uint32_t sg_bits_f32(float value) {
  uint32_t bits;
  if (value != value) return 0x7fffffff;
  __builtin_memcpy(&bits, &value, 4);
  return bits;
}
/* In double precision the ISA leaves its bits open: here, as on an H200, it is the last NaN that came in, made quiet, else that of hardware. */
SG uint64_t sg_bits_f64(double value, uint64_t a, uint64_t b) {
  uint64_t bits;
  const uint64_t quiet = UINT64_C(1) << 51, infinity = UINT64_C(0x7ff) << 52;
  if (value == value) {
    __builtin_memcpy(&bits, &value, 8);
    return bits;
  }
  if ((b & ~(UINT64_C(1) << 63)) > infinity) return b | quiet;
  if ((a & ~(UINT64_C(1) << 63)) > infinity) return a | quiet;
  return UINT64_C(0xfff8) << 48;
}
#define SG_FLOAT(NAME, OP)                                                                                              \
  SG uint32_t sg_##NAME##_f32(uint32_t a, uint32_t b) { return sg_bits_f32(sg_float(a) OP sg_float(b)); }             \
  SG uint64_t sg_##NAME##_f64(uint64_t a, uint64_t b) { return sg_bits_f64(sg_double(a) OP sg_double(b), a, b); }
SG_FLOAT(add_rn, +)
SG_FLOAT(sub_rn, -)
SG_FLOAT(mul_rn, *)
SG uint32_t sg_div_rn_f32(uint32_t a, uint32_t b) { return sg_bits_f32(sg_float(a) / sg_float(b)); }
SG uint64_t sg_div_rn_f64(uint64_t a, uint64_t b) { return sg_bits_f64(sg_double(a) / sg_double(b), b, a); } /* the first NaN */
/* Of a NaN in single precision the canonical one; in double precision itself, made quiet. */
SG uint32_t sg_sign_f32(uint32_t a, uint32_t signed_a) { return (a & 0x7fffffff) > 0x7f800000 ? 0x7fffffff : signed_a; }
SG uint64_t sg_sign_f64(uint64_t a, uint64_t signed_a) {
  const uint64_t quiet = UINT64_C(1) << 51, infinity = UINT64_C(0x7ff) << 52;
  return (a & ~(UINT64_C(1) << 63)) > infinity ? a | quiet : signed_a;
}
SG uint32_t sg_abs_f32(uint32_t a) { return sg_sign_f32(a, a & 0x7fffffff); }
SG uint64_t sg_abs_f64(uint64_t a) { return sg_sign_f64(a, a & ~(UINT64_C(1) << 63)); }
SG uint32_t sg_neg_f32(uint32_t a) { return sg_sign_f32(a, a ^ 0x80000000); }
SG uint64_t sg_neg_f64(uint64_t a) { return sg_sign_f64(a, a ^ UINT64_C(1) << 63); }

/* Ordered: false with a NaN; those with u: true. */
#define SG_COMPARE_FLOAT(T, VALUE)                                                                    \
  SG sg_pred sg_setp_eq_##T(sg_##T a, sg_##T b) { return VALUE(a) == VALUE(b); }                     \
  SG sg_pred sg_setp_ne_##T(sg_##T a, sg_##T b) { return VALUE(a) < VALUE(b) || VALUE(a) > VALUE(b); } \
  SG sg_pred sg_setp_lt_##T(sg_##T a, sg_##T b) { return VALUE(a) < VALUE(b); }                      \
  SG sg_pred sg_setp_le_##T(sg_##T a, sg_##T b) { return VALUE(a) <= VALUE(b); }                     \
  SG sg_pred sg_setp_gt_##T(sg_##T a, sg_##T b) { return VALUE(a) > VALUE(b); }                      \
  SG sg_pred sg_setp_ge_##T(sg_##T a, sg_##T b) { return VALUE(a) >= VALUE(b); }                     \
  SG sg_pred sg_setp_neu_##T(sg_##T a, sg_##T b) { return !(VALUE(a) == VALUE(b)); }                 \
  SG sg_pred sg_setp_ltu_##T(sg_##T a, sg_##T b) { return !(VALUE(a) >= VALUE(b)); }                 \
  SG sg_pred sg_setp_leu_##T(sg_##T a, sg_##T b) { return !(VALUE(a) > VALUE(b)); }                  \
  SG sg_pred sg_setp_gtu_##T(sg_##T a, sg_##T b) { return !(VALUE(a) <= VALUE(b)); }                 \
  SG sg_pred sg_setp_geu_##T(sg_##T a, sg_##T b) { return !(VALUE(a) < VALUE(b)); }                  \
  SG sg_pred sg_setp_num_##T(sg_##T a, sg_##T b) { return VALUE(a) == VALUE(a) && VALUE(b) == VALUE(b); } \
  SG sg_pred sg_setp_nan_##T(sg_##T a, sg_##T b) { return VALUE(a) != VALUE(a) || VALUE(b) != VALUE(b); }
SG_COMPARE_FLOAT(f32, sg_float)
SG_COMPARE_FLOAT(f64, sg_double)

#define SG_CONVERT(TO, FROM) \
  SG sg_##TO sg_cvt_##TO##_##FROM(sg_##FROM a) { return (sg_##TO)a; }
#define SG_CONVERT_TO(TO)                                                                                          \
  SG_CONVERT(TO, u8) SG_CONVERT(TO, s8) SG_CONVERT(TO, u16) SG_CONVERT(TO, s16) SG_CONVERT(TO, u32) SG_CONVERT(TO, s32) \
  SG_CONVERT(TO, u64) SG_CONVERT(TO, s64)
SG_CONVERT_TO(u8) SG_CONVERT_TO(s8) SG_CONVERT_TO(u16) SG_CONVERT_TO(s16) SG_CONVERT_TO(u32) SG_CONVERT_TO(s32)
SG_CONVERT_TO(u64) SG_CONVERT_TO(s64)

SG uint32_t sg_cvt_rn_f32_u32(uint32_t a) { return sg_bits_f32((float)a); }
SG uint32_t sg_cvt_rn_f32_s32(uint32_t a) { return sg_bits_f32((float)(int32_t)a); }
SG uint64_t sg_cvt_rn_f64_u32(uint32_t a) { return sg_bits_f64((double)a, 0, 0); }

/* The bits of a smaller binary format, from a single that is no NaN: to nearest even, `low` bits of the fraction dropped, with the
   exponent's bias smaller by `less`; beyond the greatest it goes on into the infinity. */
SG uint32_t sg_narrow(uint32_t a, uint32_t low, uint32_t less) {
  uint32_t magnitude = a & 0x7fffffff, exponent = magnitude >> 23;
  if (exponent <= less) { /* subnormal in the smaller format */
    const uint32_t by = low + less + 1 - exponent;
    const uint64_t whole = (magnitude & 0x7fffff) | (exponent ? 0x800000 : 0);
    if (by > 40) return 0;
    return (uint32_t)((whole + (UINT64_C(1) << (by - 1)) - 1 + (whole >> by & 1)) >> by);
  }
  magnitude -= less << 23;
  return (uint32_t)(((uint64_t)magnitude + (1u << (low - 1)) - 1 + (magnitude >> low & 1)) >> low);
}
SG sg_pred sg_is_nan(uint32_t a) { return (a & 0x7fffffff) > 0x7f800000; }
SG uint16_t sg_cvt_rn_f16_f32(uint32_t a) {
  uint32_t narrow;
  if (sg_is_nan(a)) return 0x7fff;
  narrow = sg_narrow(a, 13, 112);
  return (uint16_t)((a >> 16 & 0x8000) | (narrow > 0x7c00 ? 0x7c00 : narrow));
}
SG uint16_t sg_cvt_rn_bf16_f32(uint32_t a) {
  if (sg_is_nan(a)) return 0x7fff;
  return (uint16_t)((a + 0x7fff + (a >> 16 & 1)) >> 16);
}
SG uint32_t sg_cvt_f32_f16(uint16_t a) {
  const uint32_t sign = (uint32_t)(a & 0x8000) << 16, rest = a & 0x7fff;
  if (rest > 0x7c00) return 0x7fffffff;
  if (rest == 0x7c00) return sign | 0x7f800000;
  if (rest >= 0x400) return sign | ((rest << 13) + (112u << 23));
  return sign | sg_bits_f32((float)rest * 0x1p-24f);
}
SG uint32_t sg_cvt_f32_bf16(uint16_t a) { return (uint32_t)a << 16; } /* also a NaN */

SG uint8_t sg_to_e4m3(uint32_t a) {
  uint32_t narrow;
  if (sg_is_nan(a)) return 0x7f;
  narrow = sg_narrow(a, 20, 120);
  return (uint8_t)((a >> 24 & 0x80) | (narrow > 0x7e ? 0x7e : narrow));
}
SG uint8_t sg_to_e5m2(uint32_t a) {
  uint32_t narrow;
  if (sg_is_nan(a)) return 0x7f;
  narrow = sg_narrow(a, 21, 112);
  return (uint8_t)((a >> 24 & 0x80) | (narrow > 0x7b ? 0x7b : narrow));
}
/* The first operand becomes the upper byte. */
SG uint16_t sg_cvt_rn_satfinite_e4m3x2_f32(uint32_t a, uint32_t b) { return (uint16_t)(sg_to_e4m3(a) << 8 | sg_to_e4m3(b)); }
SG uint16_t sg_cvt_rn_satfinite_e5m2x2_f32(uint32_t a, uint32_t b) { return (uint16_t)(sg_to_e5m2(a) << 8 | sg_to_e5m2(b)); }
SG uint16_t sg_from_e4m3(uint8_t a) {
  const uint32_t sign = (uint32_t)(a & 0x80) << 8, rest = a & 0x7f;
  static const uint16_t tiny[8] = {0, 0x1800, 0x1c00, 0x1e00, 0x2000, 0x2100, 0x2200, 0x2300};
  if (rest == 0x7f) return 0x7fff;
  return (uint16_t)(sign | (rest < 8 ? tiny[rest] : (rest << 7) + (8u << 10)));
}
SG uint16_t sg_from_e5m2(uint8_t a) { return (a & 0x7f) > 0x7c ? 0x7fff : (uint16_t)(a << 8); }
SG uint32_t sg_cvt_rn_f16x2_e4m3x2(uint16_t a) { return (uint32_t)sg_from_e4m3((uint8_t)(a >> 8)) << 16 | sg_from_e4m3((uint8_t)a); }
SG uint32_t sg_cvt_rn_f16x2_e5m2x2(uint16_t a) { return (uint32_t)sg_from_e5m2((uint8_t)(a >> 8)) << 16 | sg_from_e5m2((uint8_t)a); }

SG uint32_t sg_prmt_b32(uint32_t a, uint32_t b, uint32_t selector) {
  const uint64_t bytes = (uint64_t)b << 32 | a;
  uint32_t result = 0, i;
  for (i = 0; i < 4; ++i) {
    const uint32_t choice = selector >> (4 * i) & 15;
    uint32_t byte = (uint32_t)(bytes >> (8 * (choice & 7))) & 0xff;
    if (choice & 8) byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

/* Bits past the word are the field's sign. */
#define SG_FIELD(T, SIGNED, WIDTH)                                                             \
  SG sg_##T sg_bfe_##T(sg_##T a, uint32_t b, uint32_t c) {                                    \
    const uint32_t at = b & 0xff, length = c & 0xff, last = at + length - 1;                   \
    uint64_t sign = 0, result = 0;                                                             \
    uint32_t i;                                                                                \
    if (SIGNED && length != 0) sign = (uint64_t)a >> (last > WIDTH - 1 ? WIDTH - 1 : last) & 1; \
    for (i = 0; i < WIDTH; ++i)                                                                \
      result |= (i < length && at + i < WIDTH ? (uint64_t)a >> (at + i) & 1 : sign) << i;      \
    return (sg_##T)result;                                                                     \
  }
SG_FIELD(u32, 0, 32)
SG_FIELD(s32, 1, 32)

#define SG_MEMORY(T)                                    \
  SG sg_##T sg_ld_##T(uint64_t address) {              \
    sg_##T value;                                       \
    __builtin_memcpy(&value, (const void*)address, sizeof value); \
    return value;                                       \
  }                                                     \
  SG void sg_st_##T(uint64_t address, sg_##T value) { __builtin_memcpy((void*)address, &value, sizeof value); }
SG_MEMORY(u8) SG_MEMORY(b8) SG_MEMORY(s8) SG_MEMORY(u16) SG_MEMORY(b16) SG_MEMORY(s16) SG_MEMORY(u32) SG_MEMORY(b32) SG_MEMORY(s32)
SG_MEMORY(f32) SG_MEMORY(u64) SG_MEMORY(b64) SG_MEMORY(s64) SG_MEMORY(f64)

#endif
