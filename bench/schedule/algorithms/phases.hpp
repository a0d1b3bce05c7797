// Phases that algorithms are composed of: each appends rounds to one rank's schedule, over a group of ranks and a range of
// blocks. The members of a group call the same phases in the same order, each with its own `me`.
#pragma once

#include <cstdint>

#include "bench/schedule/schedule.hpp"

namespace railgauge::phases {

// A group: a subset of the ranks, in an order of its own, as one of its members sees it. Phases run over a group, so that
// hierarchical algorithms are composed of the phases of flat ones. A rule instead of a list: predictions build the schedules of
// each of 100,000 ranks.
struct Subset {
  std::int32_t size = 1, me = 0;
  std::int32_t ranks = 1;              // of the whole; member i is rank (first + i * stride) mod ranks
  std::int32_t first = 0, stride = 1;  // not negative
  std::int32_t folded = 0;             // but the first so many are ranks 1, 3, 5, ...
  [[nodiscard]] std::int32_t rank(std::int32_t member) const {
    return member < folded ? 2 * member + 1 : (first + member * stride) % ranks;
  }
};

// Chunk i is blocks [first + i * width, first + (i + 1) * width); a group of n works on n chunks.
struct Chunks {
  std::uint32_t first = 0;
  std::uint32_t width = 1;
  [[nodiscard]] std::uint32_t at(std::int32_t i) const { return first + static_cast<std::uint32_t>(i) * width; }
};

[[nodiscard]] Blocks input(std::uint32_t first, std::uint32_t count = 1);
[[nodiscard]] Blocks output(std::uint32_t first, std::uint32_t count = 1);
[[nodiscard]] Blocks scratch(std::uint32_t slot, std::uint32_t first, std::uint32_t count = 1);
// The same blocks in another buffer: input or output.
[[nodiscard]] Blocks in(Buffer buffer, std::uint32_t first, std::uint32_t count = 1);
[[nodiscard]] Transfer send(std::int32_t peer, const Blocks& blocks);
[[nodiscard]] Transfer receive(std::int32_t peer, const Blocks& blocks);
[[nodiscard]] Local copy(const Blocks& source, const Blocks& target);
[[nodiscard]] Local reduce(const Blocks& source, const Blocks& target);

// All ranks, beginning with rank `first`, as shape.rank sees them.
[[nodiscard]] Subset everyone(const Shape& shape, std::int32_t first = 0);

// Takes `count` new scratch slots; returns the first.
std::uint32_t reserve(Schedule& schedule, std::uint32_t count);

// A round of one copy, unless it is from a place to itself.
void copy_only(Schedule& schedule, const Blocks& source, const Blocks& target);

// Member i holds all chunks in `from` and ends with the reduction of chunk i in its output; other chunks of the output are
// overwritten. Input is not written.
void ring_reduce_scatter(Schedule& schedule, const Subset& group, Chunks chunks, Buffer from);

// Member i holds chunk i in `own`; all chunks end in every member's output.
void ring_all_gather(Schedule& schedule, const Subset& group, Chunks chunks, const Blocks& own);
// The same where the group is a power of two.
void doubling_all_gather(Schedule& schedule, const Subset& group, Chunks chunks, const Blocks& own);

// Member 0 ends with the reduction of every member's `own` in its `sum`. Members that have members below them collect in their
// `sum`, which must not be input.
void binomial_reduce(Schedule& schedule, const Subset& group, const Blocks& own, const Blocks& sum);
// Member 0 holds `own`; every member ends with it in `result`. The other members do not touch `own`.
void binomial_broadcast(Schedule& schedule, const Subset& group, const Blocks& own, const Blocks& result);

// Where the rank count is no power of two, `extra` ranks give their input to a neighbour and sit out: of ranks 2i and 2i + 1 with
// i < extra, the odd one takes part for both.
struct Fold {
  std::int32_t power = 1;  // the largest power of two that is no larger than the rank count
  std::int32_t extra = 0;
  [[nodiscard]] bool sits_out(std::int32_t rank) const { return rank < 2 * extra && rank % 2 == 0; }
  [[nodiscard]] bool stands_for_two(std::int32_t rank) const { return rank < 2 * extra && rank % 2 == 1; }
};
[[nodiscard]] Fold fold(std::int32_t ranks);
// The ranks that take part, as `rank`, which must be one of them, sees them.
[[nodiscard]] Subset participants(std::int32_t ranks, std::int32_t rank);

[[nodiscard]] bool is_power_of_two(std::int32_t n);
[[nodiscard]] std::int32_t floor_log2(std::int32_t n);    // n >= 1
[[nodiscard]] std::int32_t ceiling_log2(std::int32_t n);  // n >= 1

}  // namespace railgauge::phases
