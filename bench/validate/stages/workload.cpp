// A training step between all hosts: in milliseconds, beside what it should take by their pairs.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "bench/validate/stages/predicted_step.hpp"
#include "bench/validate/stages/stages.hpp"
#include "bench/workload/models/fitted.hpp"
#include "bench/workload/scale.hpp"

namespace railgauge::validate {
namespace {

constexpr const char* workload_stage = "workload";
constexpr int least_steps = 7,
              times_a_step = 3;  // with two to warm up; whole, and its two halves alone (bench/workload/run/steps.hpp)

double milliseconds(Seconds it) { return 1e3 * it.count(); }

// Where nothing is predicted, a limit that is a multiple of it judges nothing.
void judge(validation::Figure& step, const StepLimit& limit, Seconds predicted) {
  const Seconds most = limit.times_predicted > 0 ? limit.times_predicted * predicted : limit.most;
  if (most <= Seconds(0)) return;
  step.most = milliseconds(most);
  step.below = step.value > *step.most;
}

}  // namespace

void run_workload(ValidationRun& run, validation::Stage& told) {
  // Hosts may be lost while messages inside of them are measured.
  const auto inside = run.living().size() < 2 ? std::nullopt : measure_inside(run, workload_stage);
  if (run.living().size() < 2) {
    told.state = validation::StageState::skipped;
    told.reason = "a training step between hosts needs two of them";
    return;
  }
  StepTask task;
  task.model = run.options.workload;
  Order order;
  for (const Index host : run.living())
    order.members.insert(order.members.end(), run.ranks_of(host).begin(), run.ranks_of(host).end());
  const int ranks = static_cast<int>(order.members.size());
  const Workload workload = models::fitted_workload(task.model, ranks, 0);
  task.scale = run.options.workload_scale.value_or(comfortable_factor(workload));
  task.seconds = 6 * run.options.measured;
  task.watchdog = 2 * run.options.watchdog;
  const PredictedTime predicted = predicted_step(run, inside, task.model, task.scale);
  order.task = StepTask::name;
  order.words = task;
  // A second where none is predicted.
  const Seconds step = std::max(predicted.seconds, Seconds(1));
  order.limit = run.limit_of(20) + 2 * run.options.watchdog + least_steps * times_a_step * step;
  const auto answers = run.carry_out(workload_stage, task.model, {order});
  const auto wrong = std::find_if(answers.front().begin(), answers.front().end(),
                                  [](const Answer& answer) { return answer.ending != Answer::Ending::done; });
  if (wrong != answers.front().end()) {
    if (wrong->fault == Fault::usage) throw Error(Fault::usage, wrong->sentence);
    told.state = validation::StageState::cut_short;
    told.reason = fmt::format("{} did not end: {}", task.model, wrong->sentence);
    return;
  }
  const auto times = answers.front().front().figures.get<StepTimes>();
  const std::string what = fmt::format("{} on {} ranks, scale {:.4g}", task.model, ranks, task.scale);
  run.add_figure(workload_stage, "step of " + what, "all", "ms", milliseconds(times.step));
  std::string note = fmt::format("{}: {:.4g} ms a step, of which {:.4g} ms are exposed communication", what,
                                 milliseconds(times.step), milliseconds(times.exposed));
  if (predicted.seconds > Seconds(0)) {
    run.found.figures.back().reference = milliseconds(predicted.seconds);
    run.found.figures.back().source = "predicted " + predicted.basis;
    note += fmt::format("; predicted: {:.4g} ms, {}", milliseconds(predicted.seconds), predicted.basis);
  } else {
    note += "; no prediction: " + predicted.basis;
  }
  if (const auto& limit = run.options.step_most) judge(run.found.figures.back(), *limit, predicted.seconds);
  run.add_figure(workload_stage, "exposed communication of " + what, "all", "ms", milliseconds(times.exposed));
  told.notes.push_back(std::move(note));
}

}  // namespace railgauge::validate
