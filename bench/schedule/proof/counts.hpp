// What an algorithm costs, counted: rounds, messages and bytes per link, beside the least that any algorithm needs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/schedule/read/program.hpp"

namespace railgauge {

struct LinkTraffic {
  std::int32_t from = 0, to = 0;
  std::uint64_t messages = 0, blocks = 0;
};

struct Counts {
  std::uint64_t steps = 0, thread_blocks = 0, messages = 0, blocks = 0;  // blocks: that all messages carry together
  std::uint32_t rounds = 0;                                              // the longest chain of messages that wait for each other
  std::vector<LinkTraffic> links;                                        // by sender, then receiver
  std::uint64_t busiest = 0;  // blocks that one rank sends or receives, whichever is more
  bool inward = false;        // all contributions go to one rank (reduce and gather)
  std::uint32_t peers = 0;    // to which one rank sends, at most; where all go inward, from which one receives
  std::uint64_t whole = 0;    // S in the unit in which messages are counted: that of a program is a block
  bool complete = true;       // false for a deadlock: rounds are of the steps before it
  // Each round multiplies the ranks that a contribution has reached, or inward those whose contributions one rank has, by
  // 1 + peers at most, so that ceil(log(ranks) /
  // log(1 + peers)) rounds are needed.
  std::uint32_t least_rounds = 0;
  // What a rank must send or receive, as a share of the whole buffer: Chan, Heimlich, Purkayastha and van de Geijn, "Collective
  // communication: theory, practice, and experience", Concurrency and Computation 19, 2007, section 3.
  double least_share = 0;
};

// Precondition: check_program() found nothing.
[[nodiscard]] Counts count(const Program& program);
// Of schedules of all ranks, which have no thread blocks: steps and thread_blocks stay 0.
[[nodiscard]] Counts count(Collective collective, std::int32_t root, std::span<const Schedule> ranks);

// Whether there are such bounds: patterns and all_to_all_v have none.
[[nodiscard]] bool has_bounds(Collective collective) noexcept;
// Fills in the bounds from the ranks and the peers.
void add_bounds(Counts& counts, Collective collective, std::size_t ranks);

}  // namespace railgauge
