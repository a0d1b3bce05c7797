// Patterns between pairs of ranks: the shift around a ring, ping-pong, and each pair of ranks in rounds of disjoint pairs.
//
//   ring_shift      rank 0 -> rank 1 -> rank 2 -> rank 3 -> rank 0, all at once
//
//   ping_pong       rank 0      rank 1      (ranks 2 and 3 stand idle)
//     round 0       ping ->     receive
//     round 1       receive     <- pong
//
//   one_way         rank 0      rank 1      rank 2      rank 3        two_way: both of these at once
//     rounds 0, 1   -> 3 <-     -> 2 <-     <- 1 ->     <- 0 ->
//     rounds 2, 3   -> 2 <-     -> 3 <-     <- 0 ->     <- 1 ->
//     rounds 4, 5   -> 1 <-     <- 0 ->     -> 3 <-     <- 2 ->
//
// Roger Hockney, "The communication challenge for MPP: Intel Paragon and Meiko CS-2", Parallel Computing 20(3), 1994, for
// ping-pong.
#include <initializer_list>

#include "bench/schedule/algorithms/phases.hpp"
#include "bench/schedule/pairing.hpp"
#include "bench/schedule/schedule.hpp"
#include "bench/schedule/traffic.hpp"

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

namespace {

// One round of a pairing: what the rank sends, what it receives. Both may be empty.
Round exchange_with(const Shape& shape, std::int32_t peer, Directions directions, std::uint32_t& sent, std::uint32_t& received) {
  Shape directed = shape;
  directed.directions = directions;
  Round round;
  if (sends_to(directed, peer)) round.transfers.push_back(send(peer, input(sent++)));
  if (receives_from(directed, peer)) round.transfers.push_back(receive(peer, output(received++)));
  return round;
}

// Every round in each of these directions; or, where the shape wants one round, that one in the directions of the shape.
Schedule all_pairs(const Shape& shape, std::initializer_list<Directions> each) {
  const bool single = shape.round >= 0;
  const std::int32_t end = single ? shape.round + 1 : pairing_rounds(shape.ranks);
  Schedule schedule;
  std::uint32_t sent = 0, received = 0;
  for (std::int32_t round = single ? shape.round : 0; round < end; ++round) {
    const std::int32_t peer = partner(shape.ranks, shape.rank, round);
    if (peer == nobody) continue;
    if (single) {
      schedule.rounds.push_back(exchange_with(shape, peer, shape.directions, sent, received));
    } else {
      for (const Directions directions : each) schedule.rounds.push_back(exchange_with(shape, peer, directions, sent, received));
    }
  }
  schedule.blocks = busiest_end(Collective::pairs, shape);
  return schedule;
}

}  // namespace

Schedule one_way_pairs(const Shape& shape) { return all_pairs(shape, {Directions::upward, Directions::downward}); }
Schedule two_way_pairs(const Shape& shape) { return all_pairs(shape, {Directions::both}); }

}  // namespace railgauge::builders
