// How many tokens go to each expert-parallel rank where experts are not equally liked.
#pragma once

#include <cstdint>
#include <vector>

namespace railgauge::models {

struct UnevenCounts {
  std::vector<std::uint64_t> sends, receives;  // to and from each rank
};

// Of rank `me`, where each of `ranks` ranks gives away `tokens`. The shares fall evenly from `imbalance` times the mean to
// (2 - imbalance) times; `turn` says which rank has the largest. Sums of the sends are exact.
[[nodiscard]] UnevenCounts uneven_counts(std::uint64_t tokens, int ranks, int me, int turn, double imbalance);

}  // namespace railgauge::models
