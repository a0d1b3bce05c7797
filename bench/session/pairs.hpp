// The matrix of pairs: which rounds of disjoint pairs to run one after the other, and the samples of each pair out of those of
// all ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/units.hpp"
#include "bench/measure/loop.hpp"
#include "bench/schedule/algorithms/catalog.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge {

// What a shape says of one step: its round, and who sends.
struct PairStep {
  std::int32_t round = 0;
  Directions directions = Directions::both;
  friend bool operator==(const PairStep&, const PairStep&) = default;
};

// Disjoint pairs of a round at the same time, or one pair after the other while all other ranks rest.
enum class PairOrder : std::uint8_t { together, alone };

// Where ranks have to wait for a core, two pairs of a round take it from each other. Too many pairs take too long one by one.
[[nodiscard]] PairOrder pair_order(bool oversubscribed, std::int32_t ranks);

// Steps in which every ordered pair occurs once: one_way has two of a round, two_way one.
[[nodiscard]] std::vector<PairStep> pair_steps(const Algorithm& algorithm, std::int32_t ranks, PairOrder order);

// A sample is over when it is over for both ends.
struct PairSamples {
  int from = 0, to = 0;
  std::vector<double> seconds;
  std::vector<Seconds> host;  // Measurement::host_samples of these two
};

// `by_rank[r]` are the samples of rank r, in the order in which all took them, and `host_by_rank[r]` the same by its own clock,
// if any. Pairs in the order of the ranks that send.
[[nodiscard]] std::vector<PairSamples> pair_samples(const PairStep& step, std::span<const std::vector<Seconds>> by_rank,
                                                    std::span<const std::vector<Seconds>> host_by_rank = {});

// The part of a round's measurement that is one pair's. The policy is that of a round.
[[nodiscard]] Measurement measurement_of(const PairSamples& pair, const Measurement& round, const Policy& policy);

}  // namespace railgauge
