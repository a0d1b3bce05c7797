// All-reduce in two levels: reduce-scatter within each node, all-reduce between the nodes (each local rank with its likes, so
// that every rank's link to the network is used), all-gather within each node. All three are rings.
//
//   two nodes       node 0: rank 0, rank 1          node 1: rank 2, rank 3       (halves X and Y)
//     within        0 keeps X, 1 keeps Y            2 keeps X, 3 keeps Y
//     between       0 <-> 2 reduce X                1 <-> 3 reduce Y
//     within        0 <-> 1 exchange X and Y        2 <-> 3 exchange X and Y
//
// Nicholas Karonis, Bronis de Supinski, Ian Foster, William Gropp, Ewing Lusk and John Bresnahan, "Exploiting Hierarchy in
// Parallel Computer Networks to Optimize Collective Operation Performance", International Parallel and Distributed Processing
// Symposium, 2000.
#include "bench/schedule/algorithms/phases.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge::builders {
using namespace phases;

Schedule hierarchical_all_reduce(const Shape& shape) {
  const std::int32_t local_ranks = shape.ranks_per_node;
  const std::int32_t nodes = shape.ranks / local_ranks;
  const std::int32_t node = shape.rank / local_ranks;
  const std::int32_t local = shape.rank % local_ranks;
  const Subset within{.size = local_ranks, .me = local, .ranks = shape.ranks, .first = node * local_ranks};
  const Subset between{.size = nodes, .me = node, .ranks = shape.ranks, .first = local, .stride = local_ranks};

  Schedule schedule{static_cast<std::uint32_t>(shape.ranks), 0, {}};
  const Chunks whole{0, static_cast<std::uint32_t>(nodes)};
  const Chunks part{whole.at(local), 1};
  phases::ring_reduce_scatter(schedule, within, whole, Buffer::input);
  phases::ring_reduce_scatter(schedule, between, part, Buffer::output);
  phases::ring_all_gather(schedule, between, part, output(part.at(node)));
  phases::ring_all_gather(schedule, within, whole, output(part.first, whole.width));
  return schedule;
}

}  // namespace railgauge::builders
