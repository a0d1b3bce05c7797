// Disjoint pairs: a round has every rank in at most one pair, and over all rounds each two ranks are paired exactly once.
#pragma once

#include <cstdint>

namespace railgauge {

// n - 1 rounds for an even number of ranks, n for an odd one, in each of which one rank sits out; none below 2 ranks.
[[nodiscard]] std::int32_t pairing_rounds(std::int32_t ranks);

inline constexpr std::int32_t nobody = -1;

// The number of the round in which this pair is alone and all other ranks rest. These rounds follow the pairing_rounds().
[[nodiscard]] std::int32_t round_of_pair(std::int32_t ranks, std::int32_t one, std::int32_t other);

// The partner of `rank` in this round, or `nobody`. partner(partner(r)) is r.
[[nodiscard]] std::int32_t partner(std::int32_t ranks, std::int32_t rank, std::int32_t round);

}  // namespace railgauge
