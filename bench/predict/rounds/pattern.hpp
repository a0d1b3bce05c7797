// Schedules in which all ranks do the same: in each round every rank's peer is the same function of its rank. Then a few ranks
// stand for all, and rounds that repeat are one.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bench/predict/rounds/steps.hpp"

namespace railgauge::predict {

// A one-to-one map of the ranks onto themselves.
struct PeerMap {
  enum class Kind : std::uint8_t {
    shift,   // (rank + by) mod ranks
    within,  // the same in each group of `group` ranks that follow each other
    flip,    // rank xor by
  };
  Kind kind = Kind::shift;
  std::int32_t by = 0, ranks = 1, group = 1;

  [[nodiscard]] std::int32_t of(std::int32_t rank) const;
  [[nodiscard]] PeerMap inverse() const;
  friend auto operator<=>(const PeerMap&, const PeerMap&) = default;
};

// The sends of one round.
using Sends = std::vector<PeerMap>;

// Rounds that follow each other and are the same.
struct Stretch {
  std::size_t pattern = 0;           // place in Regular::patterns
  std::size_t first = 0, count = 0;  // rounds
};

struct Regular {
  std::vector<Sends> patterns;  // all different
  std::vector<Stretch> stretches;
};

// Some ranks' steps, or those of all.
struct Sampled {
  bool all = false;
  std::vector<std::int32_t> ranks;  // ascending
  std::vector<Steps> steps;         // of each of them
  std::size_t rounds = 0;           // of the one that has most
};

// Of all ranks where there are at most `most`, else of a sample: the first and last, those at the ends of groups, and some that
// are drawn from a fixed seed.
[[nodiscard]] Sampled sample_steps(const Algorithm& algorithm, const Shape& shape, std::int32_t most);

// Nothing when the ranks do different things. Proves it of those in the sample alone, and of their peers: blocks of all_to_all_v
// have different sizes.
[[nodiscard]] std::optional<Regular> find_peers(const Sampled& sampled, const Shape& shape);

// The same in each of `groups` groups of so many ranks, one behind the other.
[[nodiscard]] Regular side_by_side(Regular regular, std::int32_t group, std::int32_t groups);

// What one round of a stretch moves: the largest over its rounds and the sample. Blocks differ by an element at most.
struct RoundBytes {
  std::vector<double> sends;  // by place in the pattern
  double moved = 0;           // by local steps
  friend bool operator==(const RoundBytes&, const RoundBytes&) = default;
};
// `sizes` are those of the ranks of the sample.
[[nodiscard]] RoundBytes bytes_of(const Sampled& sampled, const Stretch& stretch, std::span<const Sizes> sizes);

}  // namespace railgauge::predict
