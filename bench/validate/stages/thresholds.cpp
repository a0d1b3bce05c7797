// One order to all ranks.
#include "bench/validate/stages/thresholds.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace railgauge::validate {
namespace {

constexpr const char* stage = "rendezvous";
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
    const auto answers = run.carry_out(stage, "thresholds", {std::move(order)}).front();
    const auto other =
        std::find_if(answers.begin(), answers.end(), [](const Answer& answer) { return answer.ending != Answer::Ending::done; });
    if (other == answers.end()) return;
    if (other->fault == Fault::usage) throw Error(Fault::usage, other->sentence);
  }
}

}  // namespace railgauge::validate
