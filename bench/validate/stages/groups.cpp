// Collectives of hosts together: those below one leaf, each rail, each pod, and all.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "bench/validate/method/expect.hpp"
#include "bench/validate/stages/stages.hpp"

namespace railgauge::validate {
namespace {

constexpr const char* groups_stage = "groups";

struct Group {
  std::string name;
  std::vector<int> ranks;
};

void add_ranks(const ValidationRun& run, Index host, Group& group) {
  group.ranks.insert(group.ranks.end(), run.ranks_of(host).begin(), run.ranks_of(host).end());
}

// Groups of one kind share no rank, and are measured at the same time.
std::vector<std::vector<Group>> groups_of(const ValidationRun& run) {
  const std::vector<Index> hosts = run.living();
  std::map<Index, Group> leaves, pods, rails;
  Group all{"all", {}};
  for (const Index host : hosts) {
    const Host& its = run.fleet.hosts[host];
    add_ranks(run, host, all);
    if (const Index leaf = leaf_of(run.fleet, host, 0); leaf != npos) {
      leaves[leaf].name = run.fleet.switches[leaf].name;
      add_ranks(run, host, leaves[leaf]);
    }
    if (its.pod != npos) {
      pods[its.pod].name = fmt::format("pod {}", its.pod);
      add_ranks(run, host, pods[its.pod]);
    }
    for (Index rail = 0; rail < run.ranks_of(host).size(); ++rail) {
      rails[rail].name = fmt::format("rail {}", rail);
      rails[rail].ranks.push_back(run.rank_of(host, rail));
    }
  }
  std::vector<std::vector<Group>> kinds;
  for (std::map<Index, Group>* const each : {&leaves, &rails, &pods}) {
    std::vector<Group> kind;
    for (auto& [place, group] : *each)
      if (group.ranks.size() > 1) kind.push_back(std::move(group));
    if (kind.size() > 1) kinds.push_back(std::move(kind));  // one alone is all
  }
  kinds.push_back({std::move(all)});
  return kinds;
}

Order order_for(const ValidationRun& run, const Group& group) {
  MeasureTask task;
  for (const char* const what : {"all_reduce", "all_gather", "all_to_all"}) task.points.push_back({what, "16M", {}, {}});
  task.seconds = 2 * run.options.measured;
  task.watchdog = 2 * run.options.watchdog;
  task.expect = true;
  Order order = order_to(task);
  order.members = group.ranks;
  order.limit = run.limit_of(9) + 2 * run.options.watchdog;
  return order;
}

// What others have measured with that many ranks of such GPUs.
std::optional<Reference> reference_for(const ValidationRun& run, const std::string& what, const Group& group) {
  std::string model = run.found.hosts[run.host_of(group.ranks.front())].model;
  std::transform(model.begin(), model.end(), model.begin(), [](unsigned char letter) { return std::tolower(letter); });
  const Figure figure = what == "all_reduce"   ? Figure::all_reduce
                        : what == "all_gather" ? Figure::all_gather
                                               : Figure::all_to_all;
  for (const char* const gpu : {"gb200", "b200", "h200", "h100", "a100"})
    if (model.find(gpu) != std::string::npos && run.options.on_device) {
      const std::vector<Reference> rows = references_for(fmt::format("{} {}", gpu, group.ranks.size()), figure);
      if (!rows.empty()) return rows.front();
      return std::nullopt;
    }
  return std::nullopt;
}

void take(ValidationRun& run, const Group& group, const MeasuredPoint& result, std::vector<std::size_t>& places) {
  if (result.samples == 0) return;
  const std::string& what = result.what;
  run.add_figure(groups_stage, fmt::format("{} of {} ranks, 16 MiB", what, group.ranks.size()), group.name, "GB/s", result.busbw);
  validation::Figure& figure = run.found.figures.back();
  places.push_back(run.found.figures.size() - 1);
  figure.ceiling = result.ceiling;
  figure.basis = result.basis;
  if (const auto reference = reference_for(run, what, group)) {
    figure.reference = reference->value;
    figure.source = std::string(reference->source);
  }
  if (const auto least = run.options.least.find(what); least != run.options.least.end() && group.name == "all") {
    figure.least = least->second;
    figure.below = figure.value < least->second;
  }
}

std::size_t fails_of_usage(const std::vector<Answer>& answers) {
  return static_cast<std::size_t>(std::count_if(answers.begin(), answers.end(), [](const Answer& answer) {
    return answer.ending == Answer::Ending::failed && answer.fault == Fault::usage;
  }));
}

// Figures of the same thing beside each other.
void compare(ValidationRun& run, const std::vector<std::size_t>& places) {
  std::map<std::string, std::vector<double>> values;
  for (const std::size_t place : places) values[run.found.figures[place].what].push_back(run.found.figures[place].value);
  for (const std::size_t place : places) {
    std::vector<double>& its = values[run.found.figures[place].what];
    if (its.size() < 2) continue;
    std::sort(its.begin(), its.end());
    run.found.figures[place].peers = its[its.size() / 2];
  }
}

}  // namespace

void run_groups(ValidationRun& run, validation::Stage& told) {
  if (run.living().size() < 2) {
    told.state = validation::StageState::skipped;
    told.reason = "groups need two hosts";
    return;
  }
  std::size_t measured = 0;
  for (const std::vector<Group>& kind : groups_of(run)) {
    if (run.time_is_over()) {
      told.state = validation::StageState::cut_short;
      told.reason = fmt::format("its time was over before {}", kind.front().name);
      break;
    }
    std::vector<Order> orders;
    for (const Group& group : kind) orders.push_back(order_for(run, group));
    const auto answers = run.carry_out(groups_stage, kind.front().name, std::move(orders));
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < kind.size(); ++i) {
      const auto wrong = std::find_if(answers[i].begin(), answers[i].end(),
                                      [](const Answer& answer) { return answer.ending != Answer::Ending::done; });
      // Of what was asked for wrongly.
      if (wrong != answers[i].end() && wrong->fault == Fault::usage && 2 * fails_of_usage(answers[i]) >= answers[i].size())
        throw Error(Fault::usage, wrong->sentence);
      if (wrong != answers[i].end())
        told.notes.push_back(fmt::format("{} did not end: {}", kind[i].name, wrong->sentence));
      else
        for (const MeasuredPoint& result : answers[i].front().figures.get<Measured>().results) take(run, kind[i], result, places);
      ++measured;
    }
    compare(run, places);
  }
  told.notes.push_back(fmt::format("{} groups", measured));
}

}  // namespace railgauge::validate
