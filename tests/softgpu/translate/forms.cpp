#include "tests/softgpu/translate/forms.hpp"

namespace softgpu::translate {

const Form forms[] = {
    {"abs", "s16 s32 s64 f32 f64", 2},
    {"add", "s16 u16 s32 u32 s64 u64", 3},
    {"add.rn", "f32 f64", 3},
    {"and", "b16 b32 b64 pred", 3},
    {"bfe", "u32 s32", 4},
    {"cvt.f32", "f16 bf16", 2},
    {"cvt.rn.bf16", "f32", 2},
    {"cvt.rn.f16", "f32", 2},
    {"cvt.rn.f16x2", "e4m3x2 e5m2x2", 2},
    {"cvt.rn.f32", "u32 s32", 2},
    {"cvt.rn.f64", "u32", 2},
    {"cvt.rn.satfinite.e4m3x2", "f32", 3},
    {"cvt.rn.satfinite.e5m2x2", "f32", 3},
    {"cvt.s16", "u8 s8 u32 s32 u64 s64", 2},
    {"cvt.s32", "u8 s8 u16 s16 u64 s64", 2},
    {"cvt.s64", "u8 s8 u16 s16 u32 s32", 2},
    {"cvt.s8", "u16 s16 u32 s32 u64 s64", 2},
    {"cvt.u16", "u8 s8 u32 s32 u64 s64", 2},
    {"cvt.u32", "u8 s8 u16 s16 u64 s64", 2},
    {"cvt.u64", "u8 s8 u16 s16 u32 s32", 2},
    {"cvt.u8", "u16 s16 u32 s32 u64 s64", 2},
    {"div", "s16 u16 s32 u32 s64 u64", 3},
    {"div.rn", "f32 f64", 3},
    {"mad.lo", "s16 u16 s32 u32 s64 u64", 4},
    {"max", "s16 u16 s32 u32 s64 u64", 3},
    {"min", "s16 u16 s32 u32 s64 u64", 3},
    {"mov", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64 pred", 2},
    {"mul.hi", "u32 s32 u64", 3},
    {"mul.lo", "s16 u16 s32 u32 s64 u64", 3},
    {"mul.rn", "f32 f64", 3},
    {"mul.wide", "s16 u16 s32 u32", 3},
    {"neg", "s16 s32 s64 f32 f64", 2},
    {"not", "b16 b32 b64 pred", 2},
    {"or", "b16 b32 b64 pred", 3},
    {"prmt", "b32", 4},
    {"rem", "s16 u16 s32 u32 s64 u64", 3},
    {"selp", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64", 4},
    {"setp.eq", "b16 b32 b64 s16 u16 s32 u32 s64 u64 f32 f64", 3},
    {"setp.ge", "s16 u16 s32 u32 s64 u64 f32 f64", 3},
    {"setp.geu", "f32 f64", 3},
    {"setp.gt", "s16 u16 s32 u32 s64 u64 f32 f64", 3},
    {"setp.gtu", "f32 f64", 3},
    {"setp.le", "s16 u16 s32 u32 s64 u64 f32 f64", 3},
    {"setp.leu", "f32 f64", 3},
    {"setp.lt", "s16 u16 s32 u32 s64 u64 f32 f64", 3},
    {"setp.ltu", "f32 f64", 3},
    {"setp.nan", "f32 f64", 3},
    {"setp.ne", "b16 b32 b64 s16 u16 s32 u32 s64 u64 f32 f64", 3},
    {"setp.neu", "f32 f64", 3},
    {"setp.num", "f32 f64", 3},
    {"shl", "b16 b32 b64", 3},
    {"shr", "s16 u16 s32 u32 s64 u64", 3},
    {"sub", "s16 u16 s32 u32 s64 u64", 3},
    {"sub.rn", "f32 f64", 3},
    {"xor", "b16 b32 b64 pred", 3},
};
const unsigned form_count = sizeof forms / sizeof *forms;

const Form* find_form(std::string_view form) {
  const std::size_t point = form.rfind('.');
  if (point == std::string_view::npos) return nullptr;
  const std::string_view name = form.substr(0, point), type = form.substr(point + 1);
  for (const Form& candidate : forms) {
    if (candidate.name != name) continue;
    std::string_view rest = candidate.types;
    while (!rest.empty()) {
      const std::size_t end = rest.find(' ');
      if (rest.substr(0, end) == type) return &candidate;
      rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    }
  }
  return nullptr;
}

}  // namespace softgpu::translate
