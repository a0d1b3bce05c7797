// Groups of thread blocks that share each operand of an operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bench/schedule/read/program.hpp"

namespace railgauge {

// That a step does part `number` of `of` of its operands.
struct PlanSlice {
  std::size_t rank = 0, thread_block = 0, step = 0;
  std::uint32_t number = 0, of = 1;
};

inline constexpr std::uint32_t most_plan_parts = 64;  // of a block

// Cuts the blocks of the program so that each of those steps has whole ones. Returns into how many parts; more than
// most_plan_parts, and nothing is cut.
std::uint32_t cut_blocks(Program& program, std::span<const PlanSlice> slices);

}  // namespace railgauge
