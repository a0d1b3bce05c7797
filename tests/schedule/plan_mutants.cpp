// Changes of plans at random.
#include <fmt/format.h>

#include <algorithm>

#include "bench/schedule/read/plan_words.hpp"
#include "tests/schedule/plan_runs.hpp"

namespace railgauge::test {
namespace {

std::uint32_t drawn_below(std::mt19937& random, std::size_t below) { return static_cast<std::uint32_t>(random() % below); }

}  // namespace

std::string mutate_plan(Program& program, std::mt19937& random) {
  const std::uint32_t r = drawn_below(random, program.ranks.size());
  ProgramRank& rank = program.ranks[r];
  if (rank.thread_blocks.empty()) return "";
  const std::uint32_t b = drawn_below(random, rank.thread_blocks.size());
  ThreadBlock& block = rank.thread_blocks[b];
  if (block.steps.empty()) return "";
  const std::uint32_t s = drawn_below(random, block.steps.size());
  Step& step = block.steps[s];
  const std::string where = text_of(step, static_cast<std::int32_t>(r), b, s);
  const auto counts = [&] { return step.kind == StepType::signal || step.kind == StepType::wait; };
  const auto operand = [&]() -> Operand& {
    return program.operands[step.operands + drawn_below(random, std::size_t{step.sources} + step.targets)];
  };
  switch (drawn_below(random, 9)) {
    case 0:
    case 1: {
      // Others may wait for this number; it is done without waiting or meeting.
      if (step.kind == StepType::nop && !threads_meet(step) && step.awaited_thread_block == Step::none) return "";
      Step nothing;
      nothing.announced = step.announced;
      nothing.place = step.place;
      nothing.place.word = static_cast<std::int16_t>(find_plan_word("flush", false));
      step = nothing;
      return where + " removed";
    }
    case 2: {
      const std::uint32_t other = drawn_below(random, block.steps.size());
      if (other == s || step.announced || block.steps[other].announced || step.awaited_thread_block != Step::none ||
          block.steps[other].awaited_thread_block != Step::none)
        return "";
      std::swap(step, block.steps[other]);
      std::swap(step.place.operation, block.steps[other].place.operation);
      return fmt::format("{} swapped with step {}", where, other);
    }
    case 3: {
      if (step.kind != StepType::move) return "";
      Operand& it = operand();
      if (it.rank == static_cast<std::int32_t>(r)) return "";
      it.rank = static_cast<std::int32_t>(drawn_below(random, program.ranks.size()));
      return where + ": another peer";
    }
    case 4:
    case 5: {
      if (step.kind != StepType::move) return "";
      Operand& it = operand();
      it.block = drawn_below(random, it.buffer == Buffer::scratch ? std::max(1U, rank.scratch) : program.blocks);
      return where + ": another block";
    }
    case 6: {
      if (step.kind != StepType::move) return "";
      Operand& it = operand();
      it.buffer = static_cast<Buffer>(drawn_below(random, 3));
      return where + ": another buffer";
    }
    case 7:
      if (!counts()) return "";
      step.counter = drawn_below(random, program.counters.size());
      return where + ": another channel";
    default:
      if (!counts() || program.counters[step.counter].meeting != 0) return "";
      step.relaxed = !step.relaxed;
      return where + ": relaxed or not";
  }
}

}  // namespace railgauge::test
