// Decides between patterns and simulation, and draws paths.
#include "bench/predict/costing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "bench/predict/rounds/simulate.hpp"
#include "bench/predict/rounds/steady.hpp"
#include "bench/predict/rounds/steps.hpp"
#include "bench/schedule/traffic.hpp"

namespace railgauge::predict {
namespace {

constexpr std::int32_t most_simulated = 1024;     // ranks whose every transfer is simulated
constexpr std::uint64_t most_flows = 8'000'000;   // of rounds that differ, where all ranks do the same
constexpr std::uint64_t most_together = 150'000;  // of them in flight at once
// The same of several groups of more ranks than a machine has: all of them share links, and a step has many such calls.
constexpr std::uint64_t most_of_groups = 50'000;
constexpr std::int32_t small_group = 16;
constexpr std::uint64_t most_of_trees = 500'000;  // the same of more ranks, which do different things in few rounds
constexpr double most_looked_at = 4e6;            // ranks times rounds, to find out how many messages there are

// How many ranks each machine has, where each has as many and they are numbered machine by machine; else 1.
unsigned ranks_per_node(const topo::View& view, const topo::Network& network, std::span<const std::uint32_t> ranks) {
  std::vector<std::size_t> machines;
  for (const std::uint32_t vertex : ranks) machines.push_back(view.machine(network.vertices[vertex].node));
  const auto end = std::find_if(machines.begin(), machines.end(), [&](std::size_t it) { return it != machines.front(); });
  const auto group = static_cast<std::size_t>(end - machines.begin());
  if (machines.size() % group != 0) return 1;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    if (machines[i] != machines[i - i % group]) return 1;
    if (i % group == 0 && i != 0 && machines[i] == machines[i - 1]) return 1;
  }
  return static_cast<unsigned>(group);
}

std::uint64_t messages_of(const Sampled& sampled) {
  std::uint64_t messages = 0;
  for (const Steps& steps : sampled.steps) messages += steps.messages.size();
  return messages;
}

// The sizes of one group's ranks, for each group.
std::vector<Sizes> repeated(const std::vector<Sizes>& sizes, std::int32_t groups) {
  std::vector<Sizes> all;
  for (std::int32_t group = 0; group < groups; ++group) all.insert(all.end(), sizes.begin(), sizes.end());
  return all;
}

}  // namespace

Costing::Costing(const Links& links, const Question& question) : links_(links), question_(question) {
  place_groups();
  shape_.root = question.root;
  shape_.window = question.window;
  const std::span<const std::uint32_t> group(vertices_.data(), static_cast<std::size_t>(shape_.ranks));
  shape_.ranks_per_node = static_cast<std::int32_t>(
      question.ranks_per_node != 0 ? question.ranks_per_node : ranks_per_node(links.view, links.network, group));
  for (std::int32_t i = 1; i < groups_ && question.ranks_per_node == 0; ++i) {
    const std::span<const std::uint32_t> other(vertices_.data() + std::ptrdiff_t{i} * shape_.ranks,
                                               static_cast<std::size_t>(shape_.ranks));
    if (static_cast<std::int32_t>(ranks_per_node(links.view, links.network, other)) != shape_.ranks_per_node)
      shape_.ranks_per_node = 1;
  }
  if (question.root < 0 || question.root >= shape_.ranks)
    throw Error(Fault::usage, fmt::format("--root {} is no rank: there are {}", question.root, shape_.ranks));
  for (const std::uint64_t size : question.sizes)
    if (size % bytes_of(question.type) != 0)
      throw Error(Fault::usage, fmt::format("--bytes {} is no whole number of elements of {}", size, name(question.type)));
}

// Ranks that are in no group keep a place behind the others: their NICs may relay messages.
void Costing::place_groups() {
  const std::vector<std::uint32_t>& ranks = links_.network.ranks;
  groups_ = static_cast<std::int32_t>(std::max<std::size_t>(1, question_.groups.size()) * question_.lanes);
  if (question_.groups.empty()) {
    for (unsigned lane = 0; lane < question_.lanes; ++lane) vertices_.insert(vertices_.end(), ranks.begin(), ranks.end());
    shape_.ranks = static_cast<std::int32_t>(ranks.size());
    return;
  }
  shape_.ranks = static_cast<std::int32_t>(question_.groups.front().size());
  std::vector<bool> placed(ranks.size(), false);
  for (const std::vector<std::int32_t>& group : question_.groups) {
    if (group.size() != question_.groups.front().size() || group.empty())
      throw std::invalid_argument("groups that make a call together have as many ranks each");
    for (unsigned lane = 0; lane < question_.lanes; ++lane)
      for (const std::int32_t rank : group) {
        vertices_.push_back(ranks.at(static_cast<std::size_t>(rank)));
        placed[static_cast<std::size_t>(rank)] = true;
      }
  }
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    if (!placed[rank]) vertices_.push_back(ranks[rank]);
}

std::uint64_t Costing::elements(std::uint64_t bytes) const {
  return used_elements(question_.collective, shape_.ranks, bytes / bytes_of(question_.type));
}

// Of the one round that is asked for, where one is.
Sampled Costing::steps_of_ranks(const Algorithm& algorithm, std::int32_t most) const {
  Sampled it = sample_steps(algorithm, shape_, most);
  if (question_.round > 0)
    for (Steps& steps : it.steps) steps = one_round(steps, question_.round - 1);
  return it;
}

// Why the round that is asked for has no time; empty where it has one, or none is asked for.
std::string Costing::no_such_round(const Sampled& sampled) const {
  if (question_.round == 0) return {};
  if (question_.round > sampled.rounds) return fmt::format("it has {} round{}", sampled.rounds, sampled.rounds == 1 ? "" : "s");
  std::map<std::pair<std::int32_t, std::int32_t>, std::int64_t> open;  // sends less receives, by sender and receiver
  for (std::size_t i = 0; i < sampled.ranks.size() && sampled.all; ++i)
    for (const Message& message : sampled.steps[i].messages) {
      const std::int32_t me = sampled.ranks[i];
      open[message.sends ? std::pair(me, message.peer) : std::pair(message.peer, me)] += message.sends ? 1 : -1;
    }
  const bool alone = std::all_of(open.begin(), open.end(), [](const auto& it) { return it.second == 0; });
  return alone ? std::string() : fmt::format("messages of round {} meet their receivers in other rounds", question_.round);
}

// Of all ranks, too, where they do different things and have few rounds: trees.
Sampled Costing::sampled(const Algorithm& algorithm, std::optional<Regular>& regular) const {
  Sampled it = steps_of_ranks(algorithm, most_simulated);
  regular = find_peers(it, shape_);
  const bool few = algorithm.stored == nullptr && algorithm.cost(shape_).rounds * all_ranks() <= most_looked_at;
  if (!regular && !it.all && few) it = steps_of_ranks(algorithm, shape_.ranks);
  return it;
}

Costed Costing::cost(const Algorithm& algorithm, const std::vector<std::uint64_t>& elements) const {
  Costed it;
  it.refusal = algorithm.why_not(shape_);
  if (!it.refusal.empty()) return it;
  std::optional<Regular> regular;
  const Sampled steps = sampled(algorithm, regular);
  it.refusal = no_such_round(steps);
  if (!it.refusal.empty()) return it;
  if (regular && groups_ > 1) regular = side_by_side(*regular, shape_.ranks, groups_);
  it.refusal = too_much(steps, regular);
  if (!it.refusal.empty()) return it;
  it.drawn.resize(elements.size());
  const unsigned draws = links_.routing == RoutingKind::ecmp ? question_.draws : 1;
  std::vector<std::vector<Sizes>> sizes;
  for (const std::uint64_t size : elements) sizes.push_back(sizes_of(steps, size));
  for (unsigned draw = 0; draw < draws; ++draw) one_draw(steps, elements, sizes, regular, question_.seed + draw, it.drawn);
  return it;
}

// Whether every transfer can be simulated.
bool Costing::can_simulate(const Sampled& sampled) const {
  const std::uint64_t messages = messages_of(sampled) * static_cast<std::uint64_t>(groups_);
  return sampled.all && messages <= (all_ranks() <= most_simulated ? question_.most_messages : most_of_trees);
}

// Why this cannot be predicted; empty where it can.
std::string Costing::too_much(const Sampled& sampled, const std::optional<Regular>& regular) const {
  std::size_t together = 0;  // sends of a rank in one round
  for (const Steps& steps : sampled.steps)
    for (std::size_t round = 0; round < steps.rounds(); ++round) {
      const auto messages = steps.messages_of(round);
      const auto sends = std::count_if(messages.begin(), messages.end(), [](const Message& it) { return it.sends; });
      together = std::max(together, static_cast<std::size_t>(sends));
    }
  const std::uint64_t in_flight = together * static_cast<std::uint64_t>(all_ranks());
  const std::uint64_t most = groups_ > 1 && shape_.ranks > small_group ? most_of_groups : most_together;
  if (together > 1 && in_flight > most)
    return fmt::format("up to {} transfers are in flight at once, and at most {} are simulated", in_flight, most);
  if (regular && Steady::flows(*regular, all_ranks()) <= most_flows) return {};
  if (can_simulate(sampled)) return {};
  if (!sampled.all || all_ranks() > most_simulated)
    return fmt::format(
        "above {} ranks, only schedules in which all ranks do the same are predicted, of at most {} million "
        "transfers in rounds that differ",
        most_simulated, most_flows / 1'000'000);
  return fmt::format("{} transfers are too many to simulate", messages_of(sampled) / 2 * static_cast<std::uint64_t>(groups_));
}

std::vector<Sizes> Costing::sizes_of(const Sampled& sampled, std::uint64_t elements) const {
  std::vector<Sizes> sizes;
  Shape shape = shape_;
  for (std::size_t i = 0; i < sampled.ranks.size(); ++i) {
    shape.rank = sampled.ranks[i];
    sizes.emplace_back(question_.collective, shape, sampled.steps[i].blocks, elements, bytes_of(question_.type), question_.counts,
                       question_.lanes);
  }
  return sizes;
}

// `all_sizes`: of each size, those of the ranks that were sampled.
void Costing::one_draw(const Sampled& sampled, const std::vector<std::uint64_t>& elements,
                       const std::vector<std::vector<Sizes>>& all_sizes, const std::optional<Regular>& regular,
                       std::uint64_t seed, std::vector<Drawn>& drawn) const {
  Routes routes(links_.incidence, links_.routing_of(seed), vertices_);
  const Costs& costs = links_.constants.costs;
  // Lanes of a rank share its device; where rounds are not simulated they are taken to move data all at once.
  Costs shared = costs;
  shared.memory /= question_.lanes;
  const std::span<const std::uint32_t> devices = question_.lanes > 1 ? vertices_ : std::span<const std::uint32_t>();
  // Blocks of all_to_all_v have different sizes, for which patterns know the largest alone.
  const bool uneven = question_.collective == Collective::all_to_all_v;
  std::optional<Steady> steady;
  if (regular && Steady::flows(*regular, all_ranks()) <= most_flows && !(uneven && can_simulate(sampled)))
    steady.emplace(*regular, all_ranks(), routes, shared, links_.capacities);
  const bool simulable = can_simulate(sampled);
  std::vector<Steps> all_steps;
  const double share = time_share(question_.collective, shape_);
  for (std::size_t size = 0; size < drawn.size(); ++size) {
    const std::vector<Sizes>& sizes = all_sizes[size];
    const bool first = drawn[size].seconds.empty();
    Estimate estimate{0, Method::events};
    std::vector<RoundBytes> bytes;
    if (steady)
      for (const Stretch& stretch : regular->stretches) bytes.push_back(bytes_of(sampled, stretch, sizes));
    if (simulable && (!steady || (!steady->independent(bytes) && all_ranks() <= most_simulated))) {
      if (groups_ > 1 && all_steps.empty()) all_steps = side_by_side(sampled.steps, groups_);
      Simulated it = groups_ == 1 ? simulate(sampled.steps, sizes, routes, costs, links_.capacities)
                                  : simulate(all_steps, repeated(sizes, groups_), routes, costs, links_.capacities, devices);
      estimate.seconds = it.seconds;
      if (first) {
        drawn[size].carried = std::move(it.carried);
        drawn[size].carried_of = elements[size];
      }
    } else {  // too_much() has seen to it that there is one
      estimate = steady->estimate(bytes);
      if (uneven) estimate.method = Method::in_step;
      if (first && question_.busiest) {
        const bool known = size > 0 && drawn[size - 1].carried_of != 0;
        drawn[size].carried = known ? drawn[size - 1].carried : steady->carried(bytes);
        drawn[size].carried_of = known ? drawn[size - 1].carried_of : elements[size];
      }
    }
    drawn[size].seconds.push_back(estimate.seconds * share);
    drawn[size].method = std::max(drawn[size].method, estimate.method);  // the least exact of the draws
  }
}

}  // namespace railgauge::predict
