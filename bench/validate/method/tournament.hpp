// The pairing: rounds of disjoint pairs in which every host is measured with many others, near and far.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/validate/method/fleet.hpp"

namespace railgauge::validate {

struct TournamentOptions {
  Index rounds = 8;
  std::uint64_t seed = 1;
};

// Every host is in each round, but for one where their number is odd: then nobody rests twice before all have rested, and no pair
// is measured twice, while that can be avoided: up to n - 1 rounds of an even number of hosts, n of an odd one. Rounds prefer
// hosts in different pods, below the same leaf, in different pods, and below different leaves of a pod, one after the other,
// where the fleet knows them; where routes are known also hosts between which cables lie that few pairs have passed. Where so
// many rounds are asked for that there is little choice left, the distances come as they come: in the end each pair is measured.
// Throws Error(usage) for fewer than two hosts. The same seed gives the same rounds.
[[nodiscard]] std::vector<Round> tournament(const Fleet& fleet, const TournamentOptions& options);

}  // namespace railgauge::validate
