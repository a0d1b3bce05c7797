// One order to all ranks.
#include "bench/validate/stages/thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace railgauge::validate {
namespace {

constexpr const char* thresholds_stage = "rendezvous";
constexpr int most_attempts = 3;  // while hosts are lost

}  // namespace

void check_thresholds(ValidationRun& run) {
  if (run.options.least.empty()) return;
  if (run.fleet.hosts.size() == 1)
    throw Error(Fault::usage,
                "--expect is asked of all hosts together, and there is one: start ranks on several hosts, or use railgauge bench "
                "--expect");
  for (int attempt = 0; attempt < most_attempts && run.living().size() > 1; ++attempt) {
    Order order = order_to(ThresholdsTask{run.options.least});
    for (const Index host : run.living())
      order.members.insert(order.members.end(), run.ranks_of(host).begin(), run.ranks_of(host).end());
    order.limit = run.limit_of(1) + Seconds(20);  // a machine tells what it has in some seconds
    const auto answers = run.carry_out(thresholds_stage, "thresholds", {std::move(order)}).front();
    const auto other =
        std::find_if(answers.begin(), answers.end(), [](const Answer& answer) { return answer.ending != Answer::Ending::done; });
    if (other == answers.end()) return;
    if (other->fault == Fault::usage) throw Error(Fault::usage, other->sentence);
  }
}

std::vector<std::string> unanswered_thresholds(const ValidationOptions& options, validation::Validation& found) {
  std::vector<std::string> names;
  const auto unless = [&](const auto& answers, const std::string& name, const std::string& subject, const char* reason) {
    if (std::any_of(found.figures.begin(), found.figures.end(), answers)) return;
    names.push_back(name);
    found.unread.push_back({subject, fmt::format("it was asked for by --expect, and the stage {}", reason), {}});
  };
  for (const auto& [what, least] : options.least)
    unless([begin = what + " "](const validation::Figure& its) { return its.least && its.what.starts_with(begin); },
           fmt::format("{} of {:g} GB/s", what, least), what + " of all hosts", "groups did not measure it");
  if (!options.step_most) return names;
  const std::string step = "a step of at most " + options.step_most->words;
  unless([](const validation::Figure& its) { return its.most.has_value(); }, step, step,
         "workload did not measure it, or nothing was predicted");
  return names;
}

}  // namespace railgauge::validate
