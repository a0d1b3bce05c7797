// Rings: every rank speaks to its two neighbours alone, and all links carry data all the time.
//
// Reduce-scatter of four ranks, a to d, each holding blocks 0 to 3:
//
//            rank 0          rank 1          rank 2          rank 3
//   round 0  send 3 ->       send 0 ->       send 1 ->       send 2 -> (to rank 0)
//            2: d+a          3: a+b          0: b+c          1: c+d      each adds its own block to what came,
//   round 1  1: c+d+a        2: d+a+b        3: a+b+c        0: b+c+d    and sends the sum on
//   round 2  0: all          1: all          2: all          3: all
//
// All-gather is the same trip with blocks that are complete. Pitch Patarasuk and Xin Yuan, "Bandwidth optimal all-reduce
// algorithms for clusters of workstations", Journal of Parallel and Distributed Computing 69(2), 2009.
#include <algorithm>

#include "bench/schedule/algorithms/phases.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge::phases {
namespace {

struct Neighbours {
  std::int32_t size, me, next, previous;
  explicit Neighbours(const Subset& group)
      : size(group.size), me(group.me), next(group.rank((me + 1) % size)), previous(group.rank((me + size - 1) % size)) {}
  // The chunk `back` steps behind mine.
  [[nodiscard]] std::int32_t behind(std::int32_t back) const { return (me - back % size + size) % size; }
};

}  // namespace

void ring_reduce_scatter(Schedule& schedule, const Subset& group, Chunks chunks, Buffer from) {
  const Neighbours ring(group);
  const std::uint32_t width = chunks.width;
  if (ring.size == 1) {
    copy_only(schedule, in(from, chunks.first, width), output(chunks.first, width));
    return;
  }
  // Two slots alternate, so that the next round's data may come while this round's is added up.
  const std::uint32_t slots = reserve(schedule, ring.size == 2 ? width : 2 * width);
  for (std::int32_t step = 0; step < ring.size - 1; ++step) {
    const std::uint32_t sent = chunks.at(ring.behind(step + 1));
    const std::uint32_t received = chunks.at(ring.behind(step + 2));
    const Blocks landed = scratch(slots + static_cast<std::uint32_t>(step % 2) * width, received, width);
    Round round;
    round.transfers = {send(ring.next, in(step == 0 ? from : Buffer::output, sent, width)), receive(ring.previous, landed)};
    if (from == Buffer::input) round.locals.push_back(copy(input(received, width), output(received, width)));
    round.locals.push_back(reduce(landed, output(received, width)));
    schedule.rounds.push_back(std::move(round));
  }
}

void ring_all_gather(Schedule& schedule, const Subset& group, Chunks chunks, const Blocks& own) {
  const Neighbours ring(group);
  const Blocks mine = output(chunks.at(ring.me), chunks.width);
  if (ring.size == 1) {
    copy_only(schedule, own, mine);
    return;
  }
  for (std::int32_t step = 0; step < ring.size - 1; ++step) {
    const Blocks sent = output(chunks.at(ring.behind(step)), chunks.width);
    Round round;
    round.transfers = {send(ring.next, step == 0 ? own : sent),
                       receive(ring.previous, output(chunks.at(ring.behind(step + 1)), chunks.width))};
    if (step == 0 && own != mine) round.locals.push_back(copy(own, mine));
    schedule.rounds.push_back(std::move(round));
  }
}

}  // namespace railgauge::phases

namespace railgauge::builders {
using namespace phases;

Schedule ring_all_reduce(const Shape& shape) {
  Schedule schedule{static_cast<std::uint32_t>(shape.ranks), 0, {}};
  const Subset group = everyone(shape);
  phases::ring_reduce_scatter(schedule, group, {}, Buffer::input);
  phases::ring_all_gather(schedule, group, {}, output(static_cast<std::uint32_t>(shape.rank)));
  return schedule;
}

// Output has room for this rank's block alone, so partial sums stay in scratch: three slots, since a slot is added to in one
// round, sent in the next, and free for what comes in the third.
Schedule ring_reduce_scatter(const Shape& shape) {
  Schedule schedule{static_cast<std::uint32_t>(shape.ranks), 0, {}};
  const Neighbours ring(everyone(shape));
  if (shape.ranks == 1) copy_only(schedule, input(0), output(0));
  const std::uint32_t slots = reserve(schedule, static_cast<std::uint32_t>(std::min(shape.ranks - 1, 3)));
  Blocks partial = input(static_cast<std::uint32_t>(ring.behind(1)));
  for (std::int32_t step = 0; step < shape.ranks - 1; ++step) {
    const auto received = static_cast<std::uint32_t>(ring.behind(step + 2));
    const Blocks landed = scratch(slots + static_cast<std::uint32_t>(step % 3), received);
    Round round;
    round.transfers = {send(ring.next, partial), receive(ring.previous, landed)};
    if (step == shape.ranks - 2)
      round.locals = {copy(input(received), output(0)), reduce(landed, output(0))};
    else
      round.locals = {reduce(input(received), landed)};
    schedule.rounds.push_back(std::move(round));
    partial = landed;
  }
  return schedule;
}

Schedule ring_all_gather(const Shape& shape) {
  Schedule schedule{static_cast<std::uint32_t>(shape.ranks), 0, {}};
  phases::ring_all_gather(schedule, everyone(shape), {}, input(0));
  return schedule;
}

// Enough blocks that filling the chain costs about a quarter of the whole.
std::uint32_t ring_broadcast_blocks(std::int32_t ranks) { return ranks <= 2 ? 1 : 4 * static_cast<std::uint32_t>(ranks - 1); }

// A chain from the root: each rank passes block i - 1 on while block i comes in.
//
//   round    rank 0       rank 1             rank 2             rank 3
//     0      0 ->         0
//     1      1 ->         1, 0 ->            0
//     2      2 ->         2, 1 ->            1, 0 ->            0
Schedule ring_broadcast(const Shape& shape) {
  const std::uint32_t blocks = ring_broadcast_blocks(shape.ranks);
  Schedule schedule{blocks, 0, {}};
  const Neighbours ring(everyone(shape, shape.root));
  if (ring.size == 1) copy_only(schedule, input(0, blocks), output(0, blocks));
  if (ring.size == 1) return schedule;
  const bool root = ring.me == 0;
  const bool last = ring.me == ring.size - 1;
  for (std::uint32_t i = 0; i < blocks + (root || last ? 0 : 1); ++i) {
    Round round;
    if (root) {
      round.transfers = {send(ring.next, input(i))};
      round.locals = {copy(input(i), output(i))};
    } else {
      if (i < blocks) round.transfers.push_back(receive(ring.previous, output(i)));
      if (i > 0 && !last) round.transfers.push_back(send(ring.next, output(i - 1)));
    }
    schedule.rounds.push_back(std::move(round));
  }
  return schedule;
}

}  // namespace railgauge::builders
