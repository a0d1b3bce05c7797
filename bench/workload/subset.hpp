// A workload on fewer ranks, and on ranks of which there is no trace.
#pragma once

#include "bench/workload/workload.hpp"

namespace railgauge {

// The first `ranks` of them alone: groups keep their members among these, and S of each call stays; blocks of all_to_all_v of
// ranks that are gone go with them; a call of a group of which one rank is left becomes a marker. Throws Error(usage) that names
// rank and call for messages and roots of ranks that are gone.
[[nodiscard]] Workload subset(const Workload& workload, int ranks);

// Ranks without a trace do as the first rank that has one: in the same group, or in the one of the same kind and size that they
// are in; peers are as far away as that rank's are. Throws Error(usage) that names rank and group where there is none, and where
// the ranks then disagree (messages without a partner, blocks of all_to_all_v that do not fit).
[[nodiscard]] Workload filled(Workload workload);

}  // namespace railgauge
