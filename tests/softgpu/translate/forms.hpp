// The instructions that are known: those that calculate, each a function of semantics.h.
#pragma once

#include <string_view>

namespace softgpu::translate {

struct Form {
  std::string_view name;   // without the last modifier: "setp.lt"
  std::string_view types;  // what that may be: "u32 u64"
  unsigned operands;       // with the result, which is the first
};

extern const Form forms[];
extern const unsigned form_count;

// Null: unknown. `form` as in the PTX: "setp.lt.u32".
[[nodiscard]] const Form* find_form(std::string_view form);

}  // namespace softgpu::translate
