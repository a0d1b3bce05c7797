// Adjusts p values for multiple hypotheses.
#pragma once

#include <span>
#include <vector>

namespace railgauge::compare {

// Adjusted p values in the order of `p`. Rejecting hypotheses whose value is below alpha keeps the familywise error rate below
// alpha, however the tests depend on each other. S. Holm, Scandinavian Journal of Statistics 6, 1979. NaN stays NaN, and does
// not count as a hypothesis.
[[nodiscard]] std::vector<double> holm(std::span<const double> p);

// The same for the false discovery rate (independent or positively dependent tests). Y. Benjamini, Y. Hochberg, Journal of the
// Royal Statistical Society B 57, 1995.
[[nodiscard]] std::vector<double> benjamini_hochberg(std::span<const double> p);

}  // namespace railgauge::compare
