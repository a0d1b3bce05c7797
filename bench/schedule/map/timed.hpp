// Parts of one rank's schedule with the rounds that were found for them, and slots of scratch for what has no place of its own.
#pragma once

#include <cstdint>
#include <map>
#include <queue>
#include <utility>
#include <vector>

#include "bench/schedule/schedule.hpp"

namespace railgauge {

// Of two transfers between the same ranks in a round, the one with the lower channel and then the lower number is first, at both
// ends.
struct TimedTransfer {
  std::uint32_t round = 0, channel = 0, number = 0;
  Transfer transfer;
};

// Locals of a round run by their position.
struct TimedLocals {
  std::uint32_t round = 0, position = 0;
  std::vector<Local> locals;
};

// Sorts both and appends the rounds. Where `joined`, a round that has no transfers joins the one before it, if there is one.
void assemble(std::vector<TimedTransfer>& transfers, std::vector<TimedLocals>& locals, bool joined, Schedule& schedule);

// Slots of scratch that one step uses, from a round to another, and then another step.
class Slots {
 public:
  explicit Slots(std::uint32_t first) : end_(first) {}
  // `count` neighbouring ones. Rounds must be asked for in ascending order of `begin`.
  std::uint32_t take(std::uint32_t count, std::uint32_t begin, std::uint32_t last);
  [[nodiscard]] std::uint32_t end() const { return end_; }

 private:
  using Used = std::pair<std::uint32_t, std::uint32_t>;  // the last round, and the slot: the one that is free for longest first
  std::map<std::uint32_t, std::priority_queue<Used, std::vector<Used>, std::greater<>>> used_;
  std::uint32_t end_;
};

}  // namespace railgauge
