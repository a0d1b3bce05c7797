// What is left of p values when many hypotheses were tested at once.
#pragma once

#include <span>
#include <vector>

namespace railgauge::compare {

// Adjusted p values in the order of `p`: to reject where one is below alpha keeps the chance of even one false rejection below
// alpha, however the tests depend on each other. S. Holm, Scandinavian Journal of Statistics 6, 1979. A p that is no number
// stays so, and does not count as a hypothesis.
[[nodiscard]] std::vector<double> holm(std::span<const double> p);

// The same for the share of false ones among all rejections (independent or positively dependent tests). Y. Benjamini,
// Y. Hochberg, Journal of the Royal Statistical Society B 57, 1995.
[[nodiscard]] std::vector<double> benjamini_hochberg(std::span<const double> p);

}  // namespace railgauge::compare
