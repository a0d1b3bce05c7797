// Binomial trees: the ranks that have the data double each round (broadcast), or halve (reduce).
//
//   broadcast     rank 0      rank 1      rank 2      rank 3
//     round 0     -> 2                    got
//     round 1     -> 1        got         -> 3        got
//
// Reduce runs the same tree backwards: 1 -> 0 and 3 -> 2 first, then 2 -> 0. Rajeev Thakur, Rolf Rabenseifner and William Gropp,
// "Optimization of Collective Communication Operations in MPICH", International Journal of High Performance Computing
// Applications 19(1), 2005.
#include "bench/schedule/algorithms/phases.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge::phases {

void binomial_reduce(Schedule& schedule, const Subset& group, const Blocks& own, const Blocks& sum) {
  if (group.size == 1) {
    copy_only(schedule, own, sum);
    return;
  }
  const bool has_children = group.me % 2 == 0 && group.me + 1 < group.size;
  const std::uint32_t slots = has_children ? reserve(schedule, group.me % 4 == 0 && group.me + 2 < group.size ? 2 : 1) : 0;
  std::uint32_t child = 0;
  for (std::int32_t distance = 1; distance < group.size; distance *= 2) {
    if ((group.me & distance) != 0) {
      const std::int32_t parent = group.rank(group.me - distance);
      schedule.rounds.push_back({{send(parent, child == 0 ? own : sum)}, {}});
      return;
    }
    const std::int32_t below = group.me + distance;
    if (below >= group.size) continue;
    const Blocks landed = scratch(slots + child % 2, own.first, own.count);
    Round round{{receive(group.rank(below), landed)}, {}};
    if (child == 0) round.locals.push_back(copy(own, sum));
    round.locals.push_back(reduce(landed, sum));
    schedule.rounds.push_back(std::move(round));
    ++child;
  }
}

void binomial_broadcast(Schedule& schedule, const Subset& group, const Blocks& own, const Blocks& result) {
  if (group.size == 1) {
    copy_only(schedule, own, result);
    return;
  }
  std::int32_t distance = std::int32_t{1} << (ceiling_log2(group.size) - 1);
  if (group.me != 0) {
    const std::int32_t lowest = group.me & -group.me;
    schedule.rounds.push_back({{receive(group.rank(group.me - lowest), result)}, {}});
    distance = lowest / 2;
  }
  bool copied = group.me != 0 || own == result;
  for (; distance > 0; distance /= 2) {
    const std::int32_t below = group.me + distance;
    if (below >= group.size) continue;
    const std::int32_t child = group.rank(below);
    Round round{{send(child, group.me == 0 ? own : result)}, {}};
    if (!copied) round.locals.push_back(copy(own, result));
    copied = true;
    schedule.rounds.push_back(std::move(round));
  }
}

}  // namespace railgauge::phases

namespace railgauge::builders {
using namespace phases;

Schedule binomial_all_reduce(const Shape& shape) {
  Schedule schedule{1, 0, {}};
  const Subset group = everyone(shape);
  phases::binomial_reduce(schedule, group, input(0), output(0));
  phases::binomial_broadcast(schedule, group, output(0), output(0));
  return schedule;
}

Schedule binomial_broadcast(const Shape& shape) {
  Schedule schedule{1, 0, {}};
  phases::binomial_broadcast(schedule, everyone(shape, shape.root), input(0), output(0));
  return schedule;
}

// Only the root has an output: the others collect in scratch.
Schedule binomial_reduce(const Shape& shape) {
  Schedule schedule{1, 0, {}};
  const Subset group = everyone(shape, shape.root);
  const bool collects = group.me != 0 && group.me % 2 == 0 && group.me + 1 < group.size;
  const Blocks sum = collects ? scratch(reserve(schedule, 1), 0) : output(0);
  phases::binomial_reduce(schedule, group, input(0), sum);
  return schedule;
}

}  // namespace railgauge::builders
