// Runs the model's step as `railgauge workload` does.
#include "bench/validate/tasks/step.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/error.hpp"
#include "base/statistics/median.hpp"
#include "bench/workload/models/fitted.hpp"
#include "bench/workload/run/steps.hpp"
#include "bench/workload/scale.hpp"

namespace railgauge::validate {
namespace {

Seconds median_over(const RunResult& result, double StepRecord::* of) {
  std::vector<double> values;
  for (const StepRecord& record : result.steps) values.push_back(record.*of);
  return Seconds(values.empty() ? 0 : median(values));
}

}  // namespace

StepTimes measure_step(Group& group, const ChosenTransport& transport, const ChosenDevice& device, const StepTask& task,
                       Seconds watchdog, bool oversubscribed) {
  StepOptions options;
  options.computing = Computing::pause;
  options.device = device;
  options.max_time = task.seconds;
  options.watchdog = watchdog;
  options.shared_cores = oversubscribed;
  const RunResult result = run_steps(group, transport, scaled(models::fitted_workload(task.model, group.size()), task.scale),
                                     options, [](const StepRecord&) {});
  if (result.wrong)
    throw Error(Fault::wrong_data, fmt::format("{}: rank {}: {}", task.model, result.wrong->rank, result.wrong->sentence));
  StepTimes times;
  times.steps = result.steps.size();
  times.step = median_over(result, &StepRecord::seconds);
  times.exposed = median_over(result, &StepRecord::exposed);
  return times;
}

}  // namespace railgauge::validate
