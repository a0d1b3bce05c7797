// Time by time; bench/workload/analyse/comparison.hpp.
#include "bench/workload/analyse/comparison.hpp"

#include <fmt/format.h>

#include <cstddef>

#include "bench/workload/analyse/figures.hpp"
#include "bench/workload/analyse/groups.hpp"
#include "bench/workload/matches.hpp"

namespace railgauge {

std::optional<double> Comparison::difference(const ComparedTime& time) const {
  const double base = against_second ? time.second : time.first, other = against_second ? time.first : time.second;
  return base > 0 ? std::optional((other - base) / base) : std::nullopt;
}

Comparison compared(const Workload& workload, const RunResult& first, const RunResult& second) {
  Comparison result;
  if (!first.steps.empty() && !second.steps.empty()) {
    const StepFigures a = figures_of(workload, first.steps), b = figures_of(workload, second.steps);
    result.step = {{"step", a.step.median, b.step.median},
                   {"exposed communication", a.exposed, b.exposed},
                   {"communication", a.communicating, b.communicating},
                   {"computation", a.computing, b.computing},
                   {"communication alone", a.alone_communication, b.alone_communication},
                   {"computation alone", a.alone_computation, b.alone_computation}};
  }
  if (first.timeline.empty() || second.timeline.empty()) return result;
  const Matches matches = matches_of(workload);
  const std::vector<CallRates> before = rates_of(workload, matches, first.timeline);
  const std::vector<CallRates> after = rates_of(workload, matches, second.timeline);
  for (std::size_t i = 0; i < before.size(); ++i)  // the same calls, in the same order
    result.calls.push_back(
        {fmt::format("{} {} x {}", before[i].group, before[i].call, before[i].calls), before[i].seconds, after[i].seconds});
  return result;
}

}  // namespace railgauge
