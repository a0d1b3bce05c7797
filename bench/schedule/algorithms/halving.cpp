// Recursive halving: partners exchange the halves that the other keeps, then quarters; each reduces what it keeps.
//
//   round    rank 0          rank 1          rank 2          rank 3        (blocks kept)
//     0      0 1 <-> (2)     0 1 <-> (3)     2 3 <-> (0)     2 3 <-> (1)   halves, ranks two apart
//     1      0 <-> (1)       1 <-> (0)       2 <-> (3)       3 <-> (2)     quarters, neighbours
//
// Followed by an all-gather by doubling, which reverses the rounds, it is Rabenseifner's all-reduce: Rolf Rabenseifner,
// "Optimization of Collective Reduction Operations", International Conference on Computational Science, 2004.
#include "bench/schedule/algorithms/phases.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge::builders {
using namespace phases;

Schedule halving_doubling_all_reduce(const Shape& shape) {
  const Fold folded = fold(shape.ranks);
  const auto blocks = static_cast<std::uint32_t>(folded.power);
  Schedule schedule{blocks, 0, {}};
  if (shape.ranks == 1) copy_only(schedule, input(0), output(0));
  if (folded.sits_out(shape.rank)) {
    schedule.rounds = {{{send(shape.rank + 1, input(0, blocks))}, {}}, {{receive(shape.rank + 1, output(0, blocks))}, {}}};
    return schedule;
  }
  Buffer from = Buffer::input;
  if (folded.stands_for_two(shape.rank)) {
    const Blocks landed = scratch(reserve(schedule, blocks), 0, blocks);
    schedule.rounds.push_back(
        {{receive(shape.rank - 1, landed)}, {copy(input(0, blocks), output(0, blocks)), reduce(landed, output(0, blocks))}});
    from = Buffer::output;
  }
  const Subset group = participants(shape.ranks, shape.rank);
  std::uint32_t first = 0;
  for (std::int32_t distance = folded.power / 2; distance > 0; distance /= 2) {
    const auto half = static_cast<std::uint32_t>(distance);
    const bool upper = (group.me & distance) != 0;
    const std::uint32_t kept = first + (upper ? half : 0);
    const std::uint32_t given = first + (upper ? 0 : half);
    const std::int32_t peer = group.rank(group.me ^ distance);
    const Blocks landed = scratch(reserve(schedule, half), kept, half);
    Round round;
    round.transfers = {send(peer, in(from, given, half)), receive(peer, landed)};
    if (from == Buffer::input) round.locals.push_back(copy(input(kept, half), output(kept, half)));
    round.locals.push_back(reduce(landed, output(kept, half)));
    schedule.rounds.push_back(std::move(round));
    from = Buffer::output;
    first = kept;
  }
  if (group.size > 1) doubling_all_gather(schedule, group, {}, output(static_cast<std::uint32_t>(group.me)));
  if (folded.stands_for_two(shape.rank)) schedule.rounds.push_back({{send(shape.rank - 1, output(0, blocks))}, {}});
  return schedule;
}

// Output has room for one block, so what is kept is collected where it landed: each round's landing holds half as many blocks.
Schedule recursive_halving_reduce_scatter(const Shape& shape) {
  Schedule schedule{static_cast<std::uint32_t>(shape.ranks), 0, {}};
  if (shape.ranks == 1) copy_only(schedule, input(0), output(0));
  Blocks held = input(0, static_cast<std::uint32_t>(shape.ranks));
  // Part of what is held; in scratch its slot moves along.
  const auto part = [&](std::uint32_t first, std::uint32_t count) {
    return Blocks{held.buffer, first, count, held.buffer == Buffer::scratch ? held.slot + first - held.first : 0};
  };
  for (std::int32_t distance = shape.ranks / 2; distance > 0; distance /= 2) {
    const auto half = static_cast<std::uint32_t>(distance);
    const bool upper = (shape.rank & distance) != 0;
    const Blocks kept = part(held.first + (upper ? half : 0), half);
    const Blocks given = part(held.first + (upper ? 0 : half), half);
    const std::int32_t peer = shape.rank ^ distance;
    const Blocks landed = scratch(reserve(schedule, half), kept.first, half);
    Round round;
    round.transfers = {send(peer, given), receive(peer, landed)};
    if (distance == 1)
      round.locals = {copy(kept, output(0)), reduce(landed, output(0))};
    else
      round.locals = {reduce(kept, landed)};
    schedule.rounds.push_back(std::move(round));
    held = landed;
  }
  return schedule;
}

}  // namespace railgauge::builders
