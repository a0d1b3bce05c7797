// Accesses of two thread blocks to one block, one of them a write, that nothing orders.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bench/schedule/proof/execution.hpp"

namespace railgauge {

struct Race {
  // Steps, by one possible order; the same one where its own operands overlap. No earlier one where a step accesses the memory
  // of a rank that may not have begun, and no later one where that rank may have ended.
  std::uint32_t earlier = 0, later = 0;
  Buffer buffer = Buffer::input;  // as the later one names it
  std::uint32_t block = 0;
  bool earlier_writes = false, later_writes = false;
  std::int32_t rank = 0;  // whose memory it is
};

struct Races {
  std::vector<Race> found;
  // In scratch, between two runs: the later one is a step of the next run, or of the one after that where they alternate between
  // two halves of scratch.
  std::optional<Race> next_run;
  bool next_run_unknown = false;  // not all of scratch was looked at for such a race, since that would take too long
};

// `order` is a complete execution. Dependencies, the order within a thread block, signals, packets, and messages with all that
// they carry along order steps; room in a connection does not, and relaxed signals do not. One race a pair of thread blocks,
// `most` in all. Throws Error(usage) where so many thread blocks would take too long.
[[nodiscard]] Races races(const Program& program, const StepTable& table, std::span<const std::uint32_t> order, bool in_place,
                          std::size_t most);

}  // namespace railgauge
