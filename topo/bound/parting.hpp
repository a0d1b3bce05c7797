// Cuts for all-to-all: the sets of ranks of which most pairs are parted for what can leave them.
#pragma once

#include "topo/bound/gather.hpp"

namespace railgauge::topo {

inline constexpr std::size_t few_ranks = 10;  // so many are parted in every manner

// A set of vertices with k of n ranks has the load k (n - k) / leaves. Of up to few_ranks ranks the set with the greatest load of
// all. Of more (the problem is NP-hard) the greatest among: each rank alone, the ranks within some number of links of each vertex
// (of many ranks, of each switch), and the worst set of the all-gather and the broadcast; for each of these sets of ranks the
// least capacity that parts it from the others (a rank alone of more than 256: its own links).
[[nodiscard]] Side worst_parting(const Wires& wires);

}  // namespace railgauge::topo
