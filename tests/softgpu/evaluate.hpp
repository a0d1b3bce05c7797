// What each instruction that calculates gives, written from the PTX ISA alone and plainly: integers in 128 bits, floating point
// by exact arithmetic and one rounding. Independent of the translator, which it checks.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace softgpu::test {

// `form` as "setp.lt.u32"; operands as their registers hold them. The result as its type holds it: a predicate is 0 or 1, and
// signed types are widened to 64 bits with their sign.
[[nodiscard]] std::uint64_t evaluate(std::string_view form, std::span<const std::uint64_t> operands);

// Whether the ISA leaves the bits of that result open, and GPUs give one or another as ptxas arranges the instruction: the sign
// of a NaN that is negated or made positive, and which of two NaNs in double precision remains.
[[nodiscard]] bool leaves_open(std::string_view form, std::span<const std::uint64_t> operands);

}  // namespace softgpu::test
