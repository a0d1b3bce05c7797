// On which nodes the ranks of a group are.
#pragma once

#include "transports/group.hpp"

namespace railgauge {

[[nodiscard]] int count_nodes(const Group& group);
[[nodiscard]] int rank_of_node(const Group& group);         // this rank among those of its node
[[nodiscard]] int even_ranks_per_node(const Group& group);  // the same number of ranks on every node, or 1
// The same, where the ranks of each node are numbered one after the other; 1 where nodes take turns (srun -m cyclic, mpirun
// --map-by node). What hierarchical algorithms go by.
[[nodiscard]] int ranks_per_node_in_turn(const Group& group);

}  // namespace railgauge
