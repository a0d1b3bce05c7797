// Measures the outliers of a matrix of pairs again: each pair alone, beside others, until each suspicion is decided.
#pragma once

#include <optional>
#include <vector>

#include "bench/select/sweep.hpp"
#include "bench/session/point_runner.hpp"
#include "reports/pairs/pair_matrix.hpp"
#include "reports/result.hpp"
#include "transports/group.hpp"

namespace railgauge {

struct AgainOptions {
  bool oversubscribed = false;    // ranks wait for cores
  std::optional<Seconds> budget;  // what is left of it; rank 0's counts
};

// Collective. `matrix` is of `point`, and rank 0's counts. What is not decided within a
// minute stays inconclusive. Rank 0 has the findings, the others none. Throws Error(lost) when a rank is lost.
[[nodiscard]] std::vector<PairFinding> measure_pairs_again(Group& group, PointRunner& runner, const Point& point,
                                                           const PairMatrix& matrix, const AgainOptions& again);

}  // namespace railgauge
