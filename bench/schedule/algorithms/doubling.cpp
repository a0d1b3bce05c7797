// Recursive doubling: in round k, ranks 2^k apart exchange all they have; log2 n rounds.
//
//   round    rank 0        rank 1        rank 2        rank 3
//     0      a <-> b       b <-> a       c <-> d       d <-> c
//     1      ab <-> cd (2) ab <-> cd (3) cd <-> ab (0) cd <-> ab (1)
//            abcd          abcd          abcd          abcd
//
// Rajeev Thakur, Rolf Rabenseifner and William Gropp, "Optimization of Collective Communication Operations in MPICH",
// International Journal of High Performance Computing Applications 19(1), 2005.
#include <algorithm>

#include "bench/schedule/algorithms/phases.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge::phases {

void doubling_all_gather(Schedule& schedule, const Subset& group, Chunks chunks, const Blocks& own) {
  const Blocks mine = output(chunks.at(group.me), chunks.width);
  if (group.size == 1) {
    copy_only(schedule, own, mine);
    return;
  }
  for (std::int32_t distance = 1; distance < group.size; distance *= 2) {
    const std::int32_t peer = group.me ^ distance;
    const std::uint32_t width = static_cast<std::uint32_t>(distance) * chunks.width;
    const std::uint32_t have = chunks.at(group.me / distance * distance);
    const std::uint32_t want = chunks.at(peer / distance * distance);
    const std::int32_t rank = group.rank(peer);
    Round round;
    round.transfers = {send(rank, distance == 1 ? own : output(have, width)), receive(rank, output(want, width))};
    if (distance == 1 && own != mine) round.locals.push_back(copy(own, mine));
    schedule.rounds.push_back(std::move(round));
  }
}

}  // namespace railgauge::phases

namespace railgauge::builders {
using namespace phases;

Schedule recursive_doubling_all_reduce(const Shape& shape) {
  Schedule schedule{1, 0, {}};
  if (shape.ranks == 1) copy_only(schedule, input(0), output(0));
  const Fold folded = fold(shape.ranks);
  if (folded.sits_out(shape.rank)) {
    schedule.rounds = {{{send(shape.rank + 1, input(0))}, {}}, {{receive(shape.rank + 1, output(0))}, {}}};
    return schedule;
  }
  std::uint32_t landing = 0;
  bool started = false;  // whether output holds the partial sum
  const auto exchange = [&](std::vector<Transfer> transfers) {
    Round round{std::move(transfers), {}};
    if (!started) round.locals.push_back(copy(input(0), output(0)));
    round.locals.push_back(reduce(scratch(landing, 0), output(0)));
    schedule.rounds.push_back(std::move(round));
    started = true;
    landing ^= 1;
  };
  const Subset group = participants(shape.ranks, shape.rank);
  if (folded.stands_for_two(shape.rank)) exchange({receive(shape.rank - 1, scratch(landing, 0))});
  for (std::int32_t distance = 1; distance < group.size; distance *= 2) {
    const std::int32_t peer = group.rank(group.me ^ distance);
    exchange({send(peer, started ? output(0) : input(0)), receive(peer, scratch(landing, 0))});
  }
  if (folded.stands_for_two(shape.rank)) schedule.rounds.push_back({{send(shape.rank - 1, output(0))}, {}});
  reserve(schedule, std::min<std::uint32_t>(2, static_cast<std::uint32_t>(schedule.rounds.size())));
  if (shape.ranks == 1) schedule.slots = 0;
  return schedule;
}

Schedule recursive_doubling_all_gather(const Shape& shape) {
  Schedule schedule{static_cast<std::uint32_t>(shape.ranks), 0, {}};
  doubling_all_gather(schedule, everyone(shape), {}, input(0));
  return schedule;
}

}  // namespace railgauge::builders
