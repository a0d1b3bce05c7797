// When the steps of a program happen, if each takes one step of time and waits for nothing but what it needs.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/schedule/proof/execution.hpp"

namespace railgauge::picture {

// By step of the table; `nothing` for a step that never happens.
struct StepTimes {
  std::vector<std::uint32_t> at;     // when it happens
  std::vector<std::uint32_t> ready;  // when its thread block comes to it
  std::vector<std::uint32_t> end;    // at + 1; a nop takes no time
  std::uint32_t steps = 0;
};

[[nodiscard]] StepTimes step_times(const StepTable& table, const Execution& execution);

}  // namespace railgauge::picture
