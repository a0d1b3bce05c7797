// The rounds behind reports/gate/spread.hpp.
#include "reports/gate/spread.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/statistics/ratio.hpp"

namespace railgauge::compare {

double robust_spread(std::span<const double> values, double centre) {
  constexpr double from_mad = 1.4826;                       // to the standard deviation of a normal distribution
  constexpr double limit = 2.5, clipped_variance = 0.9776;  // of a standard normal variable that ends at the limit
  std::vector<double> off;
  for (const double value : values) off.push_back(std::fabs(value - centre));
  double spread = from_mad * middle(off);
  for (int round = 0; round < 5; ++round) {
    double squares = 0;
    for (const double distance : off) squares += std::pow(std::min(distance, limit * spread), 2);
    spread = std::sqrt(squares / (clipped_variance * static_cast<double>(off.size())));
  }
  return spread;
}

}  // namespace railgauge::compare
