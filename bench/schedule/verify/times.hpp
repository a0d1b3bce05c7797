// When each round and each message of schedules happens if a message takes one step of time, and nothing is buffered.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "bench/schedule/schedule.hpp"
#include "bench/schedule/verify/unbuffered.hpp"

namespace railgauge {

inline constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();

// Each by rank. `never`: it does not happen.
struct RoundTimes {
  std::vector<TransferEnds> ends;                    // matched
  std::vector<std::vector<std::uint32_t>> begun;     // by round: the step of time in which its transfers are posted
  std::vector<std::vector<std::uint32_t>> complete;  // by round: the first step after it
  std::vector<std::vector<std::uint32_t>> met;       // by transfer: the step in which it happens
  std::vector<std::pair<std::int32_t, Position>> stuck;
  std::uint32_t steps = 0;  // of all
};

// A round without transfers takes a step where `locals_take_time` and it has locals, else none.
[[nodiscard]] RoundTimes round_times(std::span<const Schedule> ranks, bool locals_take_time);

}  // namespace railgauge
