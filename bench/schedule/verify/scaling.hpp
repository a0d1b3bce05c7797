// Where premulsum multiplies and avg divides: found from the schedules, so that no algorithm knows of either.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/words.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge {

// Of one reduce. premulsum multiplies the source by the factor of rank `source_of` when it is read, and the target by that of
// rank `target_of`; -1 where that operand is a sum already. avg divides the result when it is the last of the reductions.
// Copies have the defaults.
struct Scaling {
  std::int32_t source_of = -1;
  std::int32_t target_of = -1;
  bool last = false;
  friend bool operator==(const Scaling&, const Scaling&) = default;
};

// For each round of `rank`, for each of its locals. In place, output is where the layout puts it (bench/schedule/layout.hpp).
// `all_ranks` are the verified schedules of every rank of `shape`.
// Throws Error(usage) when the schedules cannot be stepped through, or a local mixes blocks that scale differently.
[[nodiscard]] std::vector<std::vector<Scaling>> scaling(Collective collective, std::span<const Schedule> all_ranks,
                                                        const Shape& shape, std::int32_t rank, bool in_place = false);

}  // namespace railgauge
