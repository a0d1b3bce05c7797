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

// Collective. `matrix` is the matrix of `point` on rank 0; other ranks' are ignored. Suspects that are not decided within a
// minute stay inconclusive. Returns the findings on rank 0, and nothing on other ranks. Throws Error(lost) when a rank is lost.
[[nodiscard]] std::vector<PairFinding> measure_pairs_again(Group& group, PointRunner& runner, const Point& point,
                                                           const PairMatrix& matrix, const AgainOptions& again);

}  // namespace railgauge
