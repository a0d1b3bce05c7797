// Chooses how many trees each root has, and how much each of them carries.
#include "topo/trees/trees.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "topo/trees/relay.hpp"
#include "topo/trees/tiers.hpp"

namespace railgauge::topo {
namespace {

constexpr double near_bound = 0.99;
constexpr std::uint64_t parts_of_megabyte = 16;  // steps in which the rate of a tree is sought
constexpr std::uint64_t relay_steps = 250;       // of its rate, by which slower trees along tiers are tried
constexpr double weights_of_depth[] = {1, 0.3, 0.1};
constexpr double least_share = 0.5;  // of the bound: what trees along tiers reach where there are no others

Capacities scaled(const Wires& wires, std::uint64_t rate) {
  Capacities capacities(wires.vertices);
  for (const Wire& wire : wires.edges) {
    capacities.at(wire.a, wire.b) = static_cast<std::int64_t>(wire.forward * parts_of_megabyte / rate);
    capacities.at(wire.b, wire.a) = static_cast<std::int64_t>(wire.back * parts_of_megabyte / rate);
  }
  return capacities;
}

Demand demand_of(const Wires& wires, std::int32_t root, std::int64_t trees) {
  Demand demand{wires.ranks, std::vector<std::int64_t>(wires.ranks.size(), root < 0 ? trees : 0)};
  if (root >= 0) demand.roots[static_cast<std::size_t>(root)] = trees;
  return demand;
}

std::uint64_t highest_rate(const Wires& wires) {
  std::uint64_t highest = 1;
  for (const Wire& wire : wires.edges)
    highest = std::max({highest, wire.forward * parts_of_megabyte + 1, wire.back * parts_of_megabyte + 1});
  return highest;
}

// The greatest rate of a tree, in parts of a megabyte a second, at which each root can have so many; 0 where there is none.
std::uint64_t best_rate(const Wires& wires, const Demand& demand) {
  std::uint64_t low = 0, high = highest_rate(wires);
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (shortfall(scaled(wires, middle), demand) ? high : low) = middle;
  }
  return low;
}

// Megabytes a second that each root sends to all at best.
double best_of_a_root(const Network& network, std::int32_t root) {
  Bounds bounds(network);
  if (root >= 0) return 1 / bounds.of(Collective::broadcast, static_cast<std::uint32_t>(root)).time.value();
  return 1 / bounds.of(Collective::all_gather).time.value() / static_cast<double>(network.ranks.size());
}

void set_rate(Forest& forest, std::int64_t trees, std::uint64_t rate, double best) {
  forest.trees = trees;
  forest.rate = static_cast<double>(rate) / parts_of_megabyte;
  forest.share = forest.rate * static_cast<double>(trees) / best;
}

// The greatest rate at which so many trees could enter and leave each group; 0 where there is none.
std::uint64_t relay_rate(const Wires& wires, const Tiers& tiers, const Demand& demand) {
  std::uint64_t low = 0, high = highest_rate(wires);
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (may_relay(tiers, scaled_halves(wires, parts_of_megabyte, middle), demand) ? low : high) = middle;
  }
  return low;
}

std::vector<std::vector<std::uint32_t>> paths_of(const Wires& wires, const Tiers& tiers) {
  std::vector<std::vector<std::uint32_t>> paths;
  for (const Climb& climb : tiers.climbs) {
    std::vector<std::uint32_t>& path = paths.emplace_back();
    path.push_back(wires.ranks[static_cast<std::size_t>(climb.rank)]);
    for (const std::uint32_t half : climb.halves)
      path.push_back(half % 2 == 0 ? wires.edges[half / 2].b : wires.edges[half / 2].a);
  }
  return paths;
}

// Trees along tiers, where they reach at least that share of the bound: of the first number of trees that comes near to it, or of
// the number that reaches most, the shallowest.
std::optional<Forest> relayed(const Wires& wires, const Tiers& tiers, const ForestOptions& options, double best, double least) {
  std::optional<Forest> most;
  for (std::int64_t trees = 1; trees <= options.most_trees; ++trees) {
    const Demand demand = demand_of(wires, options.root, trees);
    std::optional<Forest> found;
    for (std::uint64_t rate = relay_rate(wires, tiers, demand); rate > 0; rate -= rate / relay_steps + 1) {
      Forest forest;
      set_rate(forest, trees, rate, best);
      if (forest.share < least || (found && forest.share < near_bound)) break;
      for (const double weight : weights_of_depth) {
        forest.list = relay(tiers, scaled_halves(wires, parts_of_megabyte, rate), demand, weight);
        if (!forest.list.empty() && (!found || forest.height() < found->height())) found = std::move(forest);
        set_rate(forest, trees, rate, best);
      }
    }
    if (found && (!most || found->share > most->share)) most = std::move(found);
    if (most && most->share >= near_bound) break;
  }
  if (most) most->paths = paths_of(wires, tiers);
  return most;
}

// Trees of any graph.
Forest split_and_packed(const Wires& wires, const ForestOptions& options, double best) {
  Forest forest;
  std::uint64_t rate = 0;
  for (std::int64_t trees = 1; trees <= options.most_trees; ++trees) {
    const std::uint64_t here = best_rate(wires, demand_of(wires, options.root, trees));
    if (here * static_cast<std::uint64_t>(trees) <= rate * static_cast<std::uint64_t>(forest.trees)) continue;
    rate = here;
    set_rate(forest, trees, rate, best);
    if (forest.share >= near_bound) break;
  }
  if (rate == 0) throw Error(Fault::usage, "the links are too slow for trees: a link carries less than a megabyte a second");
  const Demand demand = demand_of(wires, options.root, forest.trees);
  Capacities capacities = scaled(wires, rate);
  remove_switches(capacities, demand);
  forest.list = pack(capacities, demand);
  return forest;
}

}  // namespace

std::uint32_t OutTree::height() const {
  std::uint32_t height = 0;
  for (const Branch& branch : branches) height = std::max(height, branch.depth + 1);
  return height;
}

std::uint32_t Forest::height() const {
  std::uint32_t height = 0;
  for (const OutTree& tree : list) height = std::max(height, tree.height());
  return height;
}

Forest forest_of(const Network& network, const ForestOptions& options) {
  const double best = best_of_a_root(network, options.root);
  const Wires wires = wires_of(network);
  if (std::any_of(wires.edges.begin(), wires.edges.end(), [](const Wire& wire) { return wire.forward != wire.back; }))
    throw Error(Fault::usage, "trees are packed where each link carries the same in both directions, and here one does not");
  const bool few = wires.ranks.size() <= most_split;
  if (!options.general)
    if (const std::optional<Tiers> tiers = tiers_of(wires))
      for (const double least : {near_bound, least_share}) {
        if (least < near_bound && few) break;
        if (std::optional<Forest> forest = relayed(wires, *tiers, options, best, least)) return std::move(*forest);
      }
  if (!few)
    throw Error(
        Fault::usage,
        fmt::format("no trees were found for these {} ranks: of more than {} they are where tiers of switches join all and "
                    "no narrow place is entered twice; give --ranks",
                    wires.ranks.size(), most_split));
  return split_and_packed(wires, options, best);
}

}  // namespace railgauge::topo
