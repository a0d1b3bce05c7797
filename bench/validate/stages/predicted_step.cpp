// Costs the step on a switch that joins all hosts, with constants from the pairs that this run measured.
#include "bench/validate/stages/predicted_step.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/error.hpp"
#include "bench/predict/measured/samples.hpp"
#include "bench/workload/models/fitted.hpp"
#include "bench/workload/predict/predict_step.hpp"
#include "bench/workload/scale.hpp"
#include "topo/generate/generate.hpp"

namespace railgauge::validate {
namespace {

// Cables carry what the fastest pair did; that others did less is in the constants of the messages.
topo::Graph one_switch(int hosts, double gigabytes_per_second) {
  const unsigned ports = std::bit_ceil(static_cast<unsigned>(std::max(hosts, 4)));
  topo::Graph graph = topo::generate(
      "fat-tree", {{"hosts", fmt::format("{}", hosts)}, {"host", "plain"}, {"radix", fmt::format("{}", ports)}, {"tiers", "1"}});
  for (topo::Link& link : graph.links)
    if (topo::is_cable(link.kind)) link.bandwidth = {gigabytes_per_second, gigabytes_per_second, gigabytes_per_second};
  return graph;
}

Folded folded_step(const std::string& model, int ranks, double scale) {
  const auto make = [&](std::optional<int> only) { return scaled(models::fitted_workload(model, ranks, only), scale); };
  if (auto large = folded_if_large(make(0), make)) return std::move(*large);
  return unfolded(make({}));
}

}  // namespace

PredictedTime predicted_step(const ValidationRun& run, int ranks, const std::string& model, double scale) {
  for (const Index host : run.living())
    if (run.ranks_of(host).size() > 1) return {{}, "hosts have several ranks: what they share within a host was not measured"};
  double best = 0;
  for (const validation::PairFigure& pair : run.found.pairs) best = std::max(best, pair.gigabytes_per_second);
  auto measured = predict::measured_pairs(run.found, "the pairs of this run");
  if (!measured || best <= 0) return {{}, "no pairs were measured"};
  try {
    StepQuestion question;
    question.links.measured.push_back(std::move(*measured));
    const PredictedStep step = predict_step(one_switch(ranks, best), folded_step(model, ranks, scale), question);
    return {Seconds(step.result.steps.at(0).seconds),
            "from the pairs of this run, as if one switch without limits joined all hosts"};
  } catch (const Error& error) { return {{}, error.what()}; }
}

}  // namespace railgauge::validate
