// Disjoint pairs: a round has every rank in at most one pair, and over all rounds each two ranks are paired exactly once.
#pragma once

#include <cstdint>

namespace railgauge {

// n - 1 rounds for an even number of ranks, n for an odd one, in each of which one rank sits out; none below 2 ranks.
[[nodiscard]] std::int32_t pairing_rounds(std::int32_t ranks);

inline constexpr std::int32_t nobody = -1;

// Behind these rounds there is one for each pair, in which it is alone and all others rest.
[[nodiscard]] std::int32_t round_of_pair(std::int32_t ranks, std::int32_t one, std::int32_t other);

// Whom `rank` meets in this round, or nobody. partner(partner(r)) is r.
[[nodiscard]] std::int32_t partner(std::int32_t ranks, std::int32_t rank, std::int32_t round);

}  // namespace railgauge
