// Barriers: messages of nothing, which carry only the news that their sender has entered.
//
//   dissemination   rank 0    rank 1    rank 2    rank 3
//     round 0       -> 1      -> 2      -> 3      -> 0
//     round 1       -> 2      -> 3      -> 0      -> 1      after round k, each knows of 2^(k+1) ranks, itself among them
//
// Debra Hensgen, Raphael Finkel and Udi Manber, "Two Algorithms for Barrier Synchronization", International Journal of Parallel
// Programming 17(1), 1988.
#include "bench/schedule/algorithms/phases.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge::builders {
using namespace phases;
namespace {

Transfer tell(std::int32_t peer) { return send(peer, input(0, 0)); }
Transfer hear(std::int32_t peer) { return receive(peer, output(0, 0)); }

}  // namespace

Schedule dissemination_barrier(const Shape& shape) {
  Schedule schedule;
  const std::int32_t n = shape.ranks;
  for (std::int32_t distance = 1; distance < n; distance *= 2)
    schedule.rounds.push_back({{tell((shape.rank + distance) % n), hear((shape.rank - distance + n) % n)}, {}});
  return schedule;
}

// Exchanges as in recursive doubling; ranks beyond the largest power of two tell a neighbour first and hear from it last.
Schedule recursive_doubling_barrier(const Shape& shape) {
  Schedule schedule;
  const Fold folded = fold(shape.ranks);
  if (folded.sits_out(shape.rank)) {
    schedule.rounds = {{{tell(shape.rank + 1)}, {}}, {{hear(shape.rank + 1)}, {}}};
    return schedule;
  }
  const bool two = folded.stands_for_two(shape.rank);
  const Subset group = participants(shape.ranks, shape.rank);
  if (two) schedule.rounds.push_back({{hear(shape.rank - 1)}, {}});
  for (std::int32_t distance = 1; distance < group.size; distance *= 2) {
    const std::int32_t peer = group.rank(group.me ^ distance);
    schedule.rounds.push_back({{tell(peer), hear(peer)}, {}});
  }
  if (two) schedule.rounds.push_back({{tell(shape.rank - 1)}, {}});
  return schedule;
}

}  // namespace railgauge::builders
