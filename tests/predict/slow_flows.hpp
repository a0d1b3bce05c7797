// Max-min fairness as its definition says it, and flows that are all filled again at every event: what the fast ones must equal.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "bench/predict/flows/path.hpp"

namespace railgauge::test {

struct SlowFlow {
  std::vector<predict::Use> uses;
  double begins = 0, bytes = 0;
};

// Rates of flows by raising all together, in the smallest step that fills an arc, until each has a full arc.
[[nodiscard]] std::vector<double> slow_rates(const std::vector<double>& capacities,
                                             const std::vector<std::vector<predict::Use>>& flows);
// When each flow ends.
[[nodiscard]] std::vector<double> slow_ends(const std::vector<double>& capacities, const std::vector<SlowFlow>& flows);

struct Case {
  std::vector<double> capacities;
  std::vector<SlowFlow> flows;
};
// Few arcs and many flows, or the opposite; begins and amounts that coincide, and such that do not.
[[nodiscard]] Case draw_case(std::mt19937& random);

}  // namespace railgauge::test
