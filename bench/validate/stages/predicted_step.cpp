// Costs the step on a switch that joins all hosts, with constants from the messages that this run measured.
#include "bench/validate/stages/predicted_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "bench/validate/stages/matches.hpp"
#include "bench/validate/stages/step_graph.hpp"
#include "bench/workload/models/fitted.hpp"
#include "bench/workload/predict/predict_step.hpp"
#include "bench/workload/scale.hpp"

namespace railgauge::validate {
namespace {

constexpr double gigabyte = 1e9;

Folded folded_step(const std::string& model, int ranks, double scale) {
  const auto make = [&](std::optional<int> only) { return scaled(models::fitted_workload(model, ranks, only), scale); };
  if (auto large = folded_if_large(make(0), make)) return std::move(*large);
  return unfolded(make({}));
}

// Cables carry what the fastest did; that others did less is in the constants of the messages.
double fastest_of(const predict::Measured& measured) {
  double best = 0;
  for (const predict::Sample& sample : measured.samples)
    if (sample.bytes >= gigabyte) best = std::max(best, sample.bytes / gigabyte / sample.seconds);
  return best;
}

}  // namespace

std::optional<predict::Measured> measure_inside(ValidationRun& run, const std::string& stage) {
  std::vector<Order> orders;
  for (const Index host : run.living()) {
    const std::vector<int>& ranks = run.ranks_of(host);
    for (std::size_t rank = 1; rank < ranks.size(); rank += 2) {
      MeasureTask task;
      task.points = {{"ping_pong", "8", {}, {}}, {"stream", run.options.bytes, {}, messages_in_flight}};
      task.seconds = run.options.measured;
      task.watchdog = run.options.watchdog;
      Order order = order_to(task);
      order.members = {ranks[rank - 1], ranks[rank]};
      order.limit = run.limit_of(static_cast<int>(task.points.size()));
      orders.push_back(std::move(order));
    }
  }
  if (orders.empty()) return std::nullopt;
  predict::Measured measured;
  measured.between_machines = false;
  measured.transport = run.options.transport;
  measured.sources = {"ranks of one host in this run"};
  for (const std::vector<Answer>& answers : run.carry_out(stage, "inside", std::move(orders))) {
    if (std::any_of(answers.begin(), answers.end(), [](const Answer& it) { return it.ending != Answer::Ending::done; })) continue;
    for (const MeasuredPoint& point : answers.front().figures.get<Measured>().results) {
      if (point.samples == 0 || !(point.median > Seconds(0))) continue;
      if (point.what == "ping_pong") measured.samples.push_back({{}, {}, static_cast<double>(point.bytes), point.median.count()});
      if (point.what == "stream" && point.busbw > 0) measured.samples.push_back({{}, {}, gigabyte, 1 / point.busbw});
    }
  }
  if (measured.samples.empty()) return std::nullopt;
  return measured;
}

PredictedTime predicted_step(const ValidationRun& run, const std::optional<predict::Measured>& inside, const std::string& model,
                             double scale) {
  std::vector<Index> ranks;
  for (const Index host : run.living()) ranks.push_back(static_cast<Index>(run.ranks_of(host).size()));
  const bool several = *std::max_element(ranks.begin(), ranks.end()) > 1;
  if (several && (!inside || fastest_of(*inside) <= 0)) return {{}, "messages between the ranks of a host could not be measured"};
  auto pairs = predict::measured_pairs(run.found, "the pairs of this run");
  if (!pairs || fastest_of(*pairs) <= 0) return {{}, "no pairs were measured"};
  int all = 0;
  for (const Index of : ranks) all += static_cast<int>(of);
  try {
    const topo::Graph graph = hosts_below_one_switch(ranks, fastest_of(*pairs), several ? fastest_of(*inside) : 0);
    StepQuestion question;
    question.links.measured.push_back(std::move(*pairs));
    if (several) question.links.measured.push_back(*inside);
    const PredictedStep step = predict_step(graph, folded_step(model, all, scale), question);
    return {Seconds(step.result.steps.at(0).seconds),
            fmt::format("from the pairs of this run{}, as if one switch without limits joined all hosts",
                        several ? " and from messages inside of hosts" : "")};
  } catch (const Error& error) { return {{}, error.what()}; }
}

}  // namespace railgauge::validate
