// Finds the ranks of a run among those of the graph, and asks bench/predict.
#include "bench/run/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/words.hpp"
#include "bench/predict/links.hpp"
#include "bench/predict/predict.hpp"
#include "topo/machines.hpp"
#include "topo/network/network.hpp"
#include "topo/view.hpp"

namespace railgauge {
namespace {

constexpr std::uint64_t most_messages = 300'000;  // of one prediction: the ranks wait meanwhile

predict::Question question_of(bool gpus, unsigned ranks_per_node) {
  predict::Question it;
  it.machines = !gpus;
  it.ranks_per_node = ranks_per_node;
  it.busiest = it.bound = false;
  it.most_messages = most_messages;
  return it;
}

}  // namespace

Forecast::Forecast(topo::Graph graph, RankPlaces places) : graph_(std::move(graph)), places_(std::move(places)) {
  try {
    place();
    const predict::Question question = question_of(places_.gpus, places_.ranks_per_node);
    const predict::Links links(graph_, question);
    for (const std::string& line : links.constants.assumed) notes_.push_back("predictions assume " + line);
    notes_.push_back("predictions assume that " + predict::text_of_routing(links, question));
  } catch (const Error& error) {
    ranks_.clear();
    notes_ = {fmt::format("predicted: unknown, {}", error.what())};
  }
}

void Forecast::place() {
  const topo::View view(graph_);
  const topo::Network network = topo::network_of(graph_, {0, {}, !places_.gpus});
  std::map<std::size_t, std::vector<std::int32_t>> of_machine;  // ranks of the graph
  for (std::size_t rank = 0; rank < network.ranks.size(); ++rank)
    of_machine[view.machine(network.vertices[network.ranks[rank]].node)].push_back(static_cast<std::int32_t>(rank));
  const bool one_host = std::set<std::string>(places_.hosts.begin(), places_.hosts.end()).size() == 1;
  if (one_host && !places_.gpus)
    throw Error(Fault::usage, "all ranks are in the memory of one host, and what that carries stands in no topology");
  const topo::MachineNames machines(view);
  std::map<std::string, std::size_t> seen;  // ranks of each host
  for (const std::string& host : places_.hosts) {
    // A graph of one machine may have another name for it.
    const std::size_t machine = one_host && of_machine.size() == 1 ? of_machine.begin()->first : machines.at(host);
    const std::vector<std::int32_t>& its = of_machine[machine];
    const std::size_t local = seen[host]++;
    if (local >= its.size())
      throw Error(Fault::usage,
                  places_.gpus
                      ? fmt::format("{} has more ranks than the topology has GPUs there, which are {}", host, its.size())
                      : fmt::format("{} has several ranks in host memory, and what that carries stands in no topology", host));
    ranks_.push_back(its[local]);
  }
}

double Forecast::predicted(const Case& point) const {
  predict::Question question = question_of(places_.gpus, places_.ranks_per_node);
  question.collective = *find_collective(point.collective);
  question.algorithms = {point.algorithm};
  question.sizes = {point.bytes};
  question.type = *find_type(point.type);
  question.root = std::max(point.root, 0);
  question.groups = {ranks_};
  question.lanes = static_cast<unsigned>(std::max(point.lanes, 1));
  if (point.window != 0) question.window = static_cast<std::uint32_t>(point.window);
  const predict::Column column = predict::predict(graph_, question).columns.front();
  if (!column.refusal.empty()) throw Error(Fault::usage, column.refusal);
  return column.predictions.front().seconds;
}

std::optional<Seconds> Forecast::of(const Case& point) {
  const auto collective = find_collective(point.collective);
  const bool ours = point.path != "native" && point.path != "native_graph";
  if (ranks_.empty() || !ours || !collective || !find_type(point.type) || point.from >= 0 || point.seed) return std::nullopt;
  if (static_cast<std::size_t>(point.ranks) != ranks_.size()) return std::nullopt;
  const std::lock_guard guard(lock_);
  const auto [at, fresh] =
      known_.try_emplace(Key{point.collective, point.algorithm, point.type, point.root, point.lanes, point.bytes, point.window});
  if (!fresh) return at->second;
  try {
    if (const Seconds time(predicted(point)); time > Seconds(0)) at->second = time;
  } catch (const Error& error) {
    if (!std::exchange(told_, true))
      std::fprintf(stderr, "railgauge: no prediction of %s by %s: %s\n", point.collective.c_str(), point.algorithm.c_str(),
                   error.what());
  }
  return at->second;
}

}  // namespace railgauge
