// The circle method. All ranks but the last sit on a circle of odd length m; in round r those meet whose numbers add up to 2r
// modulo m, and who would meet itself (rank r) meets the last, which sits in the middle. With an odd number of ranks nobody sits
// in the middle, and rank r sits out.
//
//   6 ranks      round 0        round 1        round 2
//                0 - 5          1 - 5          2 - 5
//                1 - 4          2 - 0          3 - 1
//                2 - 3          3 - 4          4 - 0     and so on
//
// Thomas Kirkman, "On a Problem in Combinations", Cambridge and Dublin Mathematical Journal 2, 1847, has such schedules first.
#include "bench/schedule/pairing.hpp"

#include <algorithm>

namespace railgauge {
namespace {

std::int32_t circle(std::int32_t ranks) { return ranks % 2 == 0 ? ranks - 1 : ranks; }

}  // namespace

std::int32_t pairing_rounds(std::int32_t ranks) { return ranks < 2 ? 0 : circle(ranks); }

// The pair of a and b, a < b, is number a * ranks + b; not all numbers are pairs.
std::int32_t round_of_pair(std::int32_t ranks, std::int32_t one, std::int32_t other) {
  return pairing_rounds(ranks) + std::min(one, other) * ranks + std::max(one, other);
}

std::int32_t partner(std::int32_t ranks, std::int32_t rank, std::int32_t round) {
  const std::int32_t m = circle(ranks);
  if (const std::int32_t pair = round - pairing_rounds(ranks); pair >= 0) {
    const std::int32_t lower = pair / ranks, upper = pair % ranks;
    return rank == lower ? upper : rank == upper ? lower : nobody;
  }
  if (rank == m) return round;
  const std::int32_t other = ((2 * round - rank) % m + m) % m;
  if (other != rank) return other;
  return m < ranks ? m : nobody;
}

}  // namespace railgauge
