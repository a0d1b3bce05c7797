// Counts.
#include "bench/schedule/width.hpp"

#include <algorithm>

namespace railgauge {

std::size_t widest_reduction(const Schedule& schedule) {
  std::size_t widest = 0;
  for (const Round& round : schedule.rounds) {
    const Blocks* target = nullptr;
    std::size_t sources = 0;
    for (const Local& local : round.locals) {
      const bool more = local.kind == Local::Kind::reduce && target != nullptr && *target == local.target;
      // Alone, a copy has one source; a reduction has its target as one too.
      sources = more ? sources + 1 : local.kind == Local::Kind::copy ? 1 : 2;
      target = &local.target;
      if (local.kind == Local::Kind::reduce) widest = std::max(widest, sources);
    }
  }
  return widest;
}

}  // namespace railgauge
