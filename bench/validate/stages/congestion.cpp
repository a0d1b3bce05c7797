// Many at once: what pairs reach one at a time should be reached by all of them together, where the fabric has room for all.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bench/validate/stages/stages.hpp"

namespace railgauge::validate {
namespace {

constexpr const char* congestion_stage = "congestion";
constexpr int permutations = 3;
constexpr const char* incast = "incast";  // whose receiver is no faster than in a pair

}  // namespace

void run_congestion(ValidationRun& run, validation::Stage& told) {
  const std::vector<Index> hosts = run.living();
  if (hosts.size() < 3) {
    told.state = validation::StageState::skipped;
    told.reason = "congestion takes more than two hosts";
    return;
  }
  const bool clean = std::none_of(
      run.found.diagnoses.begin(), run.found.diagnoses.end(),
      [](const validation::Diagnosis& diagnosis) { return diagnosis.faulty && diagnosis.stage == validation::pairs_stage; });
  if (!clean) {
    told.state = validation::StageState::skipped;
    told.reason = "pairs are not clean: who is slow alone would be taken for congestion";
    return;
  }
  const std::string& bytes = run.options.bytes;
  MeasureTask task;
  task.points.push_back({"bisection", bytes, {}, {}});
  for (int i = 0; i < permutations; ++i)
    task.points.push_back({"permutation", bytes, run.options.seed + static_cast<std::uint64_t>(i), {}});
  task.points.push_back({incast, bytes, {}, {}});
  task.seconds = 2 * run.options.measured;
  task.watchdog = 2 * run.options.watchdog;
  const int count = static_cast<int>(task.points.size());
  Order order = order_to(task);
  // One rank of each host: ranks of one host would share its memory and not the fabric.
  for (const Index host : hosts) order.members.push_back(run.rank_of(host, 0));
  order.limit = run.limit_of(3 * count) + 2 * run.options.watchdog;
  const auto answers = run.carry_out(congestion_stage, "all", {order});
  const auto wrong = std::find_if(answers.front().begin(), answers.front().end(),
                                  [](const Answer& answer) { return answer.ending != Answer::Ending::done; });
  if (wrong != answers.front().end()) {
    told.state = validation::StageState::cut_short;
    told.reason = fmt::format("it did not end: {}", wrong->sentence);
    return;
  }
  for (const MeasuredPoint& result : answers.front().front().figures.get<Measured>().results) {
    if (result.samples == 0) continue;
    run.add_figure(congestion_stage, fmt::format("{} of {} hosts, {} each", result.what, hosts.size(), bytes), "all", "GB/s",
                   result.busbw);
    if (run.pair_median && result.what != incast) run.found.figures.back().peers = run.pair_median;
  }
  told.notes.push_back(fmt::format("{} patterns of {} hosts", count, hosts.size()));
}

}  // namespace railgauge::validate
