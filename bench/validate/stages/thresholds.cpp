// One order to all ranks.
#include "bench/validate/stages/thresholds.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace railgauge::validate {
namespace {

constexpr const char* stage = "rendezvous";
constexpr int most_attempts = 3;  // while hosts are lost

}  // namespace

void check_thresholds(ValidationRun& course) {
  if (course.options.least.empty()) return;
  if (course.fleet.hosts.size() == 1)
    throw Error(Fault::usage,
                "--expect is asked of all hosts together, and there is one: start ranks on several hosts, or use railgauge bench "
                "--expect");
  for (int attempt = 0; attempt < most_attempts && course.living().size() > 1; ++attempt) {
    Order order = order_to(ThresholdsTask{course.options.least});
    for (const Index host : course.living())
      order.members.insert(order.members.end(), course.ranks_of(host).begin(), course.ranks_of(host).end());
    order.limit = course.limit_of(1) + Seconds(20);  // a machine tells what it has in some seconds
    const auto answers = course.carry_out(stage, "thresholds", {std::move(order)}).front();
    const auto other =
        std::find_if(answers.begin(), answers.end(), [](const Answer& answer) { return answer.ending != Answer::Ending::done; });
    if (other == answers.end()) return;
    if (other->fault == Fault::usage) throw Error(Fault::usage, other->sentence);
  }
}

}  // namespace railgauge::validate
