// Whether each host reaches its level, and whether hosts fall into groups: asks for casts where pairs alone do not say it.
#pragma once

#include <vector>

#include "bench/validate/method/standing.hpp"
#include "bench/validate/stages/matches.hpp"
#include "bench/validate/stages/validation_run.hpp"

namespace railgauge::validate {

// What was found to be slow, and confirmed.
struct SlowHosts {
  std::vector<Slow> all;
  bool many = false;  // what most hosts have is not what is usual
  std::vector<Unexplained> unexplained;
};
// Leaves out the transfers that one of them sends or receives in its slow direction.
void drop_slow(const Fleet& fleet, const SlowHosts& slow, std::vector<Measurement>& measurements);

// Measures casts where they are needed, tells the run's findings, and notes whether the level is verified. Hosts among `without`
// are not looked at.
[[nodiscard]] SlowHosts settle_capacities(ValidationRun& run, const Matches& matches, const std::vector<bool>& without,
                                          validation::Stage& told);

}  // namespace railgauge::validate
