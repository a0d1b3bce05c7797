// Every number of blocks times the least common multiple of the groups' sizes.
#include "bench/schedule/read/plan_slices.hpp"

#include <numeric>

namespace railgauge {

std::uint32_t cut_blocks(Program& program, std::span<const PlanSlice> slices) {
  std::uint32_t parts = 1;
  for (const PlanSlice& it : slices)
    if (parts <= most_plan_parts) parts = std::lcm(parts, it.of);
  if (parts == 1 || parts > most_plan_parts) return parts;
  for (ProgramRank& rank : program.ranks) {
    rank.input *= parts;
    rank.output *= parts;
    rank.scratch *= parts;
    for (ThreadBlock& block : rank.thread_blocks)
      for (Step& it : block.steps) it.count *= parts;
  }
  for (Operand& it : program.operands) it.block *= parts;
  for (const PlanSlice& it : slices) {
    Step& step = program.ranks[it.rank].thread_blocks[it.thread_block].steps[it.step];
    step.count /= it.of;
    for (Operand& operand : std::span(program.operands).subspan(step.operands, std::size_t{step.sources} + step.targets))
      operand.block += it.number * step.count;
  }
  return parts;
}

}  // namespace railgauge
