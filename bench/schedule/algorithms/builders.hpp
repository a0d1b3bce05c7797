// One builder an algorithm: the schedule of rank shape.rank. Which collective each performs, and for which shapes, is said once,
// in the catalog.
#pragma once

#include "bench/schedule/schedule.hpp"

namespace railgauge::builders {

// ring.cpp
[[nodiscard]] Schedule ring_all_reduce(const Shape& shape);
[[nodiscard]] Schedule ring_reduce_scatter(const Shape& shape);
[[nodiscard]] Schedule ring_all_gather(const Shape& shape);
[[nodiscard]] Schedule ring_broadcast(const Shape& shape);
[[nodiscard]] std::uint32_t ring_broadcast_blocks(std::int32_t ranks);
// doubling.cpp
[[nodiscard]] Schedule recursive_doubling_all_reduce(const Shape& shape);
[[nodiscard]] Schedule recursive_doubling_all_gather(const Shape& shape);
// halving.cpp
[[nodiscard]] Schedule halving_doubling_all_reduce(const Shape& shape);
[[nodiscard]] Schedule recursive_halving_reduce_scatter(const Shape& shape);
// tree.cpp
[[nodiscard]] Schedule binomial_all_reduce(const Shape& shape);
[[nodiscard]] Schedule binomial_broadcast(const Shape& shape);
[[nodiscard]] Schedule binomial_reduce(const Shape& shape);
// subtree.cpp
[[nodiscard]] Schedule scatter_all_gather_broadcast(const Shape& shape);
[[nodiscard]] Schedule binomial_gather(const Shape& shape);
[[nodiscard]] Schedule binomial_scatter(const Shape& shape);
// direct.cpp
[[nodiscard]] Schedule one_shot_all_reduce(const Shape& shape);
[[nodiscard]] Schedule two_shot_all_reduce(const Shape& shape);
[[nodiscard]] Schedule direct_reduce_scatter(const Shape& shape);
[[nodiscard]] Schedule direct_all_gather(const Shape& shape);
[[nodiscard]] Schedule direct_broadcast(const Shape& shape);
[[nodiscard]] Schedule direct_reduce(const Shape& shape);
[[nodiscard]] Schedule direct_gather(const Shape& shape);
[[nodiscard]] Schedule direct_scatter(const Shape& shape);
[[nodiscard]] Schedule direct_all_to_all(const Shape& shape);
// pairwise.cpp
[[nodiscard]] Schedule pairwise_reduce_scatter(const Shape& shape);
[[nodiscard]] Schedule pairwise_all_to_all(const Shape& shape);
// bruck.cpp
[[nodiscard]] Schedule bruck_all_gather(const Shape& shape);
[[nodiscard]] Schedule bruck_all_to_all(const Shape& shape);
// hierarchical.cpp
[[nodiscard]] Schedule hierarchical_all_reduce(const Shape& shape);
// hypercube.cpp
[[nodiscard]] Schedule hypercube(const Shape& shape);
// barrier.cpp
[[nodiscard]] Schedule dissemination_barrier(const Shape& shape);
[[nodiscard]] Schedule recursive_doubling_barrier(const Shape& shape);
// pairs.cpp
[[nodiscard]] Schedule ring_shift(const Shape& shape);
[[nodiscard]] Schedule ping_pong(const Shape& shape);
[[nodiscard]] Schedule one_way_pairs(const Shape& shape);
[[nodiscard]] Schedule two_way_pairs(const Shape& shape);
// patterns.cpp
[[nodiscard]] Schedule stream(const Shape& shape);
[[nodiscard]] Schedule bidirectional(const Shape& shape);
[[nodiscard]] Schedule incast(const Shape& shape);
[[nodiscard]] Schedule outcast(const Shape& shape);
[[nodiscard]] Schedule permutation(const Shape& shape);
[[nodiscard]] Schedule bisection(const Shape& shape);

}  // namespace railgauge::builders
