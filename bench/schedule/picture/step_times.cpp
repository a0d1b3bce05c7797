// Longest paths, in the order of an execution.
#include "bench/schedule/picture/step_times.hpp"

#include <algorithm>

namespace railgauge::picture {

StepTimes step_times(const StepTable& table, const Execution& execution) {
  StepTimes times;
  times.at.assign(table.steps.size(), nothing);
  times.ready = times.end = times.at;
  for (const std::uint32_t step : execution.order) {
    const Step& it = *table.steps[step].step;
    const bool first = step == table.blocks[table.steps[step].thread_block].first;
    const std::uint32_t ready = first ? 0 : times.end[step - 1];
    std::uint32_t at = ready;
    const auto after = [&](std::uint32_t other) {
      if (other != nothing && times.end[other] != nothing) at = std::max(at, times.end[other]);
    };
    after(table.awaited(step));
    after(table.sender_of(step));
    for (const std::uint32_t writer : table.packets(step)) after(writer);
    if (it.kind == StepType::wait) table.signals_before(step, false, after);
    times.ready[step] = ready;
    times.at[step] = at;
    times.end[step] = at + (it.kind == StepType::nop ? 0 : 1);
    times.steps = std::max(times.steps, at + 1);
  }
  return times;
}

}  // namespace railgauge::picture
