// Histories of a pipeline that are known in every respect: 40 cases a run, launches that differ, outliers, and a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/statistics/draws.hpp"

namespace railgauge::test {

struct Pipeline {
  std::size_t cases = 40;
  double noise = 0.02;       // standard deviation of a launch, as a share
  double correlation = 0.5;  // of two cases of a launch
  double spikes = 0.03;      // share of runs that are outliers, in all cases
  double case_spikes = 0;    // share of single figures that do
  double spike = -0.10;      // by so much of the bandwidth
  double shift = -0.05;      // of the bandwidth, from the step on
  std::size_t shifted = 40;  // so many cases have the step, the first ones
};

inline constexpr std::size_t no_step = std::numeric_limits<std::size_t>::max();

// Logarithms of the times of the cases in one run.
[[nodiscard]] std::vector<double> run_of(const Pipeline& pipeline, bool after_the_step, compare::Draws& draws);

// By case, then by run; the step is before run `step`.
[[nodiscard]] std::vector<std::vector<double>> history_of(const Pipeline& pipeline, std::size_t runs, std::size_t step,
                                                          compare::Draws& draws);

// Of each run the median over its cases.
[[nodiscard]] std::vector<double> median_over_cases(const std::vector<std::vector<double>>& history);

}  // namespace railgauge::test
