// The dice behind tests/reports/compare/histories.hpp.
#include "tests/reports/compare/histories.hpp"

#include <cmath>
#include <utility>

#include "base/statistics/ratio.hpp"

namespace railgauge::test {

std::vector<double> run_of(const Pipeline& pipeline, bool after_the_step, compare::Draws& draws) {
  const double common = pipeline.noise * std::sqrt(pipeline.correlation) * draws.normal();
  const double own = pipeline.noise * std::sqrt(1 - pipeline.correlation);
  const double whole = draws.uniform() < pipeline.spikes ? -std::log1p(pipeline.spike) : 0;
  std::vector<double> times;
  for (std::size_t i = 0; i < pipeline.cases; ++i) {
    double time = common + own * draws.normal() + whole;
    if (pipeline.case_spikes > 0 && draws.uniform() < pipeline.case_spikes) time -= std::log1p(pipeline.spike);
    if (after_the_step && i < pipeline.shifted) time -= std::log1p(pipeline.shift);
    times.push_back(time);
  }
  return times;
}

std::vector<std::vector<double>> history_of(const Pipeline& pipeline, std::size_t runs, std::size_t step, compare::Draws& draws) {
  std::vector<std::vector<double>> history(pipeline.cases);
  for (std::size_t run = 0; run < runs; ++run) {
    const std::vector<double> times = run_of(pipeline, run >= step, draws);
    for (std::size_t i = 0; i < pipeline.cases; ++i) history[i].push_back(times[i]);
  }
  return history;
}

std::vector<double> median_over_cases(const std::vector<std::vector<double>>& history) {
  std::vector<double> medians;
  for (std::size_t run = 0; run < history.front().size(); ++run) {
    std::vector<double> times;
    for (const std::vector<double>& one : history) times.push_back(one[run]);
    medians.push_back(compare::middle(std::move(times)));
  }
  return medians;
}

}  // namespace railgauge::test
