// Patterns between pairs of ranks: the shift around a ring, and ping-pong.
//
//   ring_shift      rank 0 -> rank 1 -> rank 2 -> rank 3 -> rank 0, all at once
//
//   ping_pong       rank 0      rank 1      (ranks 2 and 3 stand idle)
//     round 0       ping ->     receive
//     round 1       receive     <- pong
//
// Roger Hockney, "The communication challenge for MPP: Intel Paragon and Meiko CS-2", Parallel Computing 20(3), 1994, for
// ping-pong.
#include "bench/schedule/builders.hpp"
#include "bench/schedule/phases.hpp"

namespace railgauge::builders {
using namespace phases;

Schedule ring_shift(const Shape& shape) {
  Schedule schedule{1, 0, {}};
  if (shape.ranks == 1) {
    copy_only(schedule, input(0), output(0));
  } else {
    const std::int32_t next = (shape.rank + 1) % shape.ranks;
    const std::int32_t previous = (shape.rank + shape.ranks - 1) % shape.ranks;
    schedule.rounds = {{{send(next, input(0)), receive(previous, output(0))}, {}}};
  }
  return schedule;
}

Schedule ping_pong(const Shape& shape) {
  Schedule schedule{1, 0, {}};
  const Round ping{{send(1 - shape.rank, input(0))}, {}};
  const Round pong{{receive(1 - shape.rank, output(0))}, {}};
  if (shape.rank == 0) schedule.rounds = {ping, pong};
  if (shape.rank == 1) schedule.rounds = {pong, ping};
  return schedule;
}

}  // namespace railgauge::builders
