// A round is two points in time: that of its transfers, and that of its locals.
#include "bench/schedule/map/noted.hpp"

#include <algorithm>

namespace railgauge {
namespace {

bool is_local(const Step& it) { return it.kind == StepType::cpy || it.kind == StepType::re; }
std::int64_t time_of(const Step& it) { return 2 * std::int64_t{it.note.round} + (is_local(it) ? 1 : 0); }

bool keeps_order(const StepTable& table, const StepTable::Block& block) {
  std::int64_t before = -1, awaited = -1;
  for (std::uint32_t step = block.first; step < block.end; ++step) {
    const Step& it = *table.steps[step].step;
    if (const std::uint32_t other = table.awaited(step); other != nothing) {
      if (table.steps[other].step->kind == StepType::nop) return false;
      awaited = std::max(awaited, time_of(*table.steps[other].step));
    }
    if (it.kind == StepType::nop) continue;
    const std::int64_t now = time_of(it);
    // Locals of a round run in the order of an execution.
    if (now < before || now < awaited || (now == awaited && !is_local(it))) return false;
    before = now;
  }
  return true;
}

}  // namespace

std::optional<ProgramRounds> noted_rounds(const StepTable& table) {
  for (const StepTable::Row& row : table.steps) {
    const Step& it = *row.step;
    const bool plain = it.kind == StepType::s || it.kind == StepType::r || is_local(it);
    if (it.kind != StepType::nop && (!plain || it.note.round == Step::none)) return std::nullopt;
  }
  for (const StepTable::Block& block : table.blocks)
    if (!keeps_order(table, block)) return std::nullopt;
  ProgramRounds rounds;
  rounds.noted = true;
  rounds.order = execute(table, unlimited).order;
  rounds.buffered.resize(table.steps.size());
  for (const StepTable::Row& row : table.steps)
    rounds.done.push_back(static_cast<std::uint32_t>(std::max(row.step->note.round, 0)));
  rounds.message = rounds.received = rounds.done;
  return rounds;
}

}  // namespace railgauge
