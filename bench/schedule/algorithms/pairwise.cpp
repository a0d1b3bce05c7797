// Pairwise exchange: n - 1 rounds, in each of which every rank sends to one peer and receives from one.
//
//   round    rank 0       rank 1       rank 2       rank 3
//     0      -> 1, <- 3   -> 2, <- 0   -> 3, <- 1   -> 0, <- 2
//     1      -> 2, <- 2   -> 3, <- 3   -> 0, <- 0   -> 1, <- 1
//     2      -> 3, <- 1   -> 0, <- 2   -> 1, <- 3   -> 2, <- 0
//
// Rajeev Thakur, Rolf Rabenseifner and William Gropp, "Optimization of Collective Communication Operations in MPICH",
// International Journal of High Performance Computing Applications 19(1), 2005.
#include <algorithm>

#include "bench/schedule/algorithms/phases.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge::builders {
using namespace phases;

Schedule pairwise_reduce_scatter(const Shape& shape) {
  const std::int32_t n = shape.ranks;
  const auto mine = static_cast<std::uint32_t>(shape.rank);
  Schedule schedule{static_cast<std::uint32_t>(n), 0, {}};
  if (n == 1) copy_only(schedule, input(0), output(0));
  const std::uint32_t slots = reserve(schedule, static_cast<std::uint32_t>(std::min(n - 1, 2)));
  for (std::int32_t step = 1; step < n; ++step) {
    const std::int32_t to = (shape.rank + step) % n;
    const std::int32_t from = (shape.rank - step + n) % n;
    const Blocks landed = scratch(slots + static_cast<std::uint32_t>(step - 1) % 2, mine);
    Round round{{send(to, input(static_cast<std::uint32_t>(to))), receive(from, landed)}, {}};
    if (step == 1) round.locals.push_back(copy(input(mine), output(0)));
    round.locals.push_back(reduce(landed, output(0)));
    schedule.rounds.push_back(std::move(round));
  }
  return schedule;
}

Schedule pairwise_all_to_all(const Shape& shape) {
  const std::int32_t n = shape.ranks;
  const auto mine = static_cast<std::uint32_t>(shape.rank);
  Schedule schedule{static_cast<std::uint32_t>(n), 0, {}};
  if (n == 1) copy_only(schedule, input(0), output(0));
  for (std::int32_t step = 1; step < n; ++step) {
    const std::int32_t to = (shape.rank + step) % n;
    const std::int32_t from = (shape.rank - step + n) % n;
    Round round{{send(to, input(static_cast<std::uint32_t>(to))), receive(from, output(static_cast<std::uint32_t>(from)))}, {}};
    if (step == 1) round.locals.push_back(copy(input(mine), output(mine)));
    schedule.rounds.push_back(std::move(round));
  }
  return schedule;
}

}  // namespace railgauge::builders
