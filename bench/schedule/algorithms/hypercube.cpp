// All-gather along the dimensions of a hypercube: the rank's number is its corner, and each round exchanges over one dimension.
//
//     2 --- 3       round 0   0 <-> 1, 2 <-> 3    (one block)
//     |     |       round 1   0 <-> 2, 1 <-> 3    (two blocks)
//     0 --- 1
//
// Charles Seitz, "The Cosmic Cube", Communications of the ACM 28(1), 1985.
#include "bench/schedule/algorithms/phases.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge::builders {

Schedule hypercube(const Shape& shape) {
  Schedule schedule{static_cast<std::uint32_t>(shape.ranks), 0, {}};
  phases::doubling_all_gather(schedule, phases::everyone(shape), {}, phases::input(0));
  return schedule;
}

}  // namespace railgauge::builders
