// Which collectives are rooted in MPI's sense, and are therefore measured differently.
#pragma once

#include "base/words.hpp"

namespace railgauge {

// True for broadcast, reduce, gather and scatter: run back to back, their ranks begin the next operation while other ranks are
// still in the current one. The patterns with a root, incast and outcast, measure bandwidth and do not count.
[[nodiscard]] inline bool is_rooted_collective(Collective collective) noexcept {
  return row(collective).rooted && collective != Collective::incast && collective != Collective::outcast;
}

}  // namespace railgauge
