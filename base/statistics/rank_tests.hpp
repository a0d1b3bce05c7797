// Rank tests: whether one set of values tends to be larger than another. Pure arithmetic; every function ignores values that are
// not finite.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace railgauge::compare {

struct MannWhitney {
  double u = 0;        // pairs in which the value of x is the larger one; a tie counts half
  double p = 1;        // two-sided
  bool exact = false;  // from the distribution of U itself, else from a normal one with correction for ties and continuity
};

// H. Mann, D. Whitney, Annals of Mathematical Statistics 18, 1947. Exact where no two values are equal and there are at most
// `exact_up_to` of them. Nothing where a side has no values.
[[nodiscard]] std::optional<MannWhitney> mann_whitney(std::span<const double> x, std::span<const double> y,
                                                      std::size_t exact_up_to = 60);

struct BrunnerMunzel {
  double statistic = 0;  // positive where y tends to be larger
  double freedom = 0;    // of Student's t
  double p = 1;          // two-sided
};

// As Mann-Whitney, but also valid for unequal variances: E. Brunner, U. Munzel, Biometrical Journal 42, 2000. Nothing where a
// side has fewer than two values, or where the ranks have no variance: all of x on one side of all of y, or all equal.
[[nodiscard]] std::optional<BrunnerMunzel> brunner_munzel(std::span<const double> x, std::span<const double> y);

// Share of pairs in which y is larger, less the share in which x is: from -1 to 1, 0 where neither tends to be larger.
// N. Cliff, Psychological Bulletin 114, 1993. Nothing where a side is empty.
[[nodiscard]] std::optional<double> cliffs_delta(std::span<const double> x, std::span<const double> y);

}  // namespace railgauge::compare
