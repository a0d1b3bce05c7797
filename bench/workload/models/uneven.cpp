// A falling line of shares; bench/workload/models/uneven.hpp.
#include "bench/workload/models/uneven.hpp"

#include <cmath>

namespace railgauge::models {

UnevenCounts uneven_counts(std::uint64_t tokens, int ranks, int me, int turn, double imbalance) {
  UnevenCounts counts;
  const double mean = static_cast<double>(tokens) / ranks;
  std::uint64_t before = 0;
  double sum = 0;
  std::vector<std::uint64_t> by_place;  // from the most liked rank on
  for (int place = 0; place < ranks; ++place) {
    sum += ranks == 1 ? mean : mean * (imbalance - 2 * (imbalance - 1) * place / (ranks - 1));
    const std::uint64_t until = place + 1 == ranks ? tokens : static_cast<std::uint64_t>(std::llround(sum));
    by_place.push_back(until - before);
    before = until;
  }
  for (int rank = 0; rank < ranks; ++rank) counts.sends.push_back(by_place[static_cast<std::size_t>((rank + turn) % ranks)]);
  counts.receives.assign(static_cast<std::size_t>(ranks), counts.sends[static_cast<std::size_t>(me)]);
  return counts;
}

}  // namespace railgauge::models
