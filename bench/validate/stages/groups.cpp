// Collectives of all hosts together, and of all rails.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "bench/validate/stages/stages.hpp"

namespace railgauge::validate {

void run_groups(Course& course, validation::Stage& told) {
  constexpr const char* stage = "groups";
  const std::vector<Index> hosts = course.living();
  if (hosts.size() < 2) {
    told.state = validation::StageState::skipped;
    told.reason = "groups need two hosts";
    return;
  }
  Order order;
  order.task = "measure";
  order.words = {{"parts", {{{"what", "all_reduce"}, {"bytes", "8M"}}, {{"what", "all_to_all"}, {"bytes", "1M"}}}},
                 {"seconds", 2 * course.options.measured.count()},
                 {"watchdog", course.options.watchdog.count()}};
  for (const Index host : hosts)
    for (const int rank : course.ranks_of(host)) order.members.push_back(rank);
  order.limit = course.limit_of(8) + Seconds(5);
  const auto answers = course.carry_out(stage, "all", {order});
  const Answer& first = answers.front().front();
  if (first.ending != Answer::Ending::done) {
    told.notes.push_back(fmt::format("all hosts together did not end: {}", first.sentence));
    return;
  }
  for (const nlohmann::json& result : first.figures.at("results"))
    course.add_figure(stage,
                      fmt::format("{} of {} hosts, {} bytes", result.at("what").get<std::string>(), hosts.size(),
                                  result.at("bytes").get<std::uint64_t>()),
                      "all", "GB/s", result.at("busbw").get<double>());
}

}  // namespace railgauge::validate
