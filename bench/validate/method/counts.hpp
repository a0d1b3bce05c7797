// How often measurements are low, counted so that repeats that are disturbed together count once, and how much one measurement
// tells.
#pragma once

#include <span>
#include <vector>

#include "bench/validate/method/fleet.hpp"
#include "bench/validate/method/model.hpp"

namespace railgauge::validate {

struct Count {
  double low = 0, squares = 0;  // sums of the shares of rounds, and of their squares
  Index rounds = 0;
  double low_samples = 0, samples = 0;
  // How many measurements that have nothing to do with each other would scatter as these rounds do: repeats of a round that are
  // disturbed together count once.
  [[nodiscard]] double effective(double repeats) const;
};

// A robust standard deviation.
[[nodiscard]] double deviation(std::vector<double> values);

// Natural logarithm of the odds of one new measurement that is off by `seen`, for being off by `effect` and not by nothing, where
// `error` is its standard deviation. Never below 0, and no single measurement brings more than 2.5.
[[nodiscard]] double odds_of_look(double effect, double seen, double error);

// The n-th repeats on all rails, in one direction, are one figure of the two hosts: of each sample the median over them. `single`
// has a value for each sample.
struct OverRails {
  std::vector<double> values;
  double repeats = 1;  // of one pair, direction and rail in a round, at most
};
[[nodiscard]] OverRails over_rails(const Fleet& fleet, const Samples& samples, std::span<const double> single);

}  // namespace railgauge::validate
