// Which collectives are rooted in MPI's sense, and are therefore measured differently.
#pragma once

#include "base/words.hpp"

namespace railgauge {

// Broadcast, reduce, gather and scatter: of these run back to back, ranks begin the next one while others are still in this one.
// The patterns that have a root, incast and outcast, measure bandwidth, and are none.
[[nodiscard]] inline bool is_rooted_collective(Collective collective) noexcept {
  return row(collective).rooted && collective != Collective::incast && collective != Collective::outcast;
}

}  // namespace railgauge
