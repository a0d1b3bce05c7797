// The matrix of pairs: the rounds of disjoint pairs to run, and the samples of each pair from those of all ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.hpp"
#include "bench/measure/loop.hpp"
#include "bench/schedule/algorithms/catalog.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge {

// One step of the matrix: a round, and the directions in which its pairs send.
struct PairStep {
  std::int32_t round = 0;
  Directions directions = Directions::both;
  friend bool operator==(const PairStep&, const PairStep&) = default;
};

// Disjoint pairs of a round at the same time, or one pair after the other while all other ranks rest.
enum class PairOrder : std::uint8_t { together, alone };

// `alone` where ranks share cores, since two pairs of a round would compete for a core; `together` also then for many ranks,
// since measuring so many pairs alone takes too long.
[[nodiscard]] PairOrder pair_order(bool oversubscribed, std::int32_t ranks);

// Steps in which every ordered pair occurs once: one_way has two of a round, two_way one.
[[nodiscard]] std::vector<PairStep> pair_steps(const Algorithm& algorithm, std::int32_t ranks, PairOrder order);

// The samples of one pair, in seconds. A sample ends when both ranks have completed it.
struct PairSamples {
  int from = 0, to = 0;
  std::vector<double> seconds;
  std::vector<Seconds> host;  // Measurement::host_samples of these two
};

// `by_rank[r]` has the samples of rank r, in the same order on all ranks; `host_by_rank[r]` has the same by its own clock, or is
// absent. Returns pairs in the order of the sending ranks.
[[nodiscard]] std::vector<PairSamples> pair_samples(const PairStep& step, std::span<const std::vector<Seconds>> by_rank,
                                                    std::span<const std::vector<Seconds>> host_by_rank = {});

// The measurement of one pair of a round. `policy` is that of the round.
[[nodiscard]] Measurement measurement_of(const PairSamples& pair, const Measurement& round, const Policy& policy);

}  // namespace railgauge
