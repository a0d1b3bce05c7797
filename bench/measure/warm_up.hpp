// Finds the end of the warm-up in the samples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/units.hpp"

namespace railgauge {

struct WarmUp {
  enum class State : std::uint8_t {
    running,   // take `more` samples and look again
    over,      // samples from `end` on are steady
    given_up,  // its share of the time is over, and the samples still fell or were too few to tell; `end` is all of them
  };
  State state = State::running;
  std::size_t end = 0;
  std::size_t more = 0;
};

// `seconds`: all samples so far, in order; `elapsed`: time since the first began; `budget`: the most time for the warm-up. The
// warm-up is over once times fall no more: neither from the second quarter of the samples to the last half, nor from the first
// half of that to its second, by more than half a per cent and more than noise explains (medians are compared). It then ended at
// the earliest window, eighths of the first half, from which on all medians agree with the last half. Rising samples count as
// warm: waiting would not make them better.
[[nodiscard]] WarmUp find_warm_up(std::span<const double> seconds, Seconds elapsed, Seconds budget);

}  // namespace railgauge
