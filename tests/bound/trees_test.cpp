// Trees packed on random graphs and on machines: each reaches every rank, and together they use no more than there is.
#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "tests/bound/forests.hpp"
#include "tests/bound/wired.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "topo/trees/trees.hpp"

using namespace railgauge;
using namespace railgauge::test;
using topo::Forest;
using topo::Network;
using topo::OutTree;

namespace {

// Connected; the first vertices are ranks.
Network network_with_switches(std::mt19937& random, std::uint32_t most) {
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  Network network;
  const std::uint32_t vertices = 2 + below(most - 1);
  const std::uint32_t ranks = 2 + below(vertices - 1);
  for (std::uint32_t i = 0; i < vertices; ++i) network.vertices.push_back({i, i < ranks ? static_cast<std::int32_t>(i) : -1});
  for (std::uint32_t i = 0; i < ranks; ++i) network.ranks.push_back(i);
  std::vector<std::uint32_t> order(vertices);
  for (std::uint32_t i = 0; i < vertices; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t capacity = 100 * (1 + below(8));
    const std::size_t link = network.arcs.size() / 2;
    network.arcs.push_back({a, b, capacity, link});
    network.arcs.push_back({b, a, capacity, link});
  };
  for (std::uint32_t i = 1; i < vertices; ++i) join(order[i], order[below(i)]);
  for (std::uint32_t extra = below(2 * vertices); extra > 0; --extra) {
    const std::uint32_t a = below(vertices);
    const std::uint32_t b = below(vertices);
    if (a != b) join(a, b);
  }
  return network;
}

// Megabytes per second between each two ranks.
std::map<std::pair<std::int32_t, std::int32_t>, double> loads(const Forest& forest) {
  std::map<std::pair<std::int32_t, std::int32_t>, double> loads;
  for (const OutTree& tree : forest.list)
    for (const OutTree::Branch& branch : tree.branches)
      loads[{branch.from, branch.to}] += forest.rate * static_cast<double>(tree.count);
  return loads;
}

// The largest share of what leaves a set of vertices that trees ask for, over all sets.
double fullest(const Network& network, const Forest& forest) {
  const auto used = loads(forest);
  double most = 0;
  for (unsigned set = 1; set + 1 < 1U << network.vertices.size(); ++set) {
    double there = 0, asked = 0;
    const auto in = [&](std::uint32_t vertex) { return (set >> vertex & 1U) != 0; };
    for (const topo::Arc& arc : network.arcs)
      if (in(arc.from) && !in(arc.to)) there += static_cast<double>(arc.capacity);
    for (const auto& [pair, load] : used)
      if (in(network.ranks[static_cast<std::size_t>(pair.first)]) && !in(network.ranks[static_cast<std::size_t>(pair.second)]))
        asked += load;
    most = std::max(most, asked / there);
  }
  return most;
}

}  // namespace

TEST_CASE("trees: random graphs with switches, one root and all") {
  constexpr unsigned seed = 1995;
  std::mt19937 random(seed);
  double worst = 1;
  for (int round = 0; round < 150; ++round) {
    const Network network = network_with_switches(random, 9);
    const auto ranks = static_cast<std::int32_t>(network.ranks.size());
    const std::int32_t root = round % 3 == 0 ? static_cast<std::int32_t>(random() % network.ranks.size()) : -1;
    INFO("seed " << seed << ", round " << round << ", " << network.vertices.size() << " vertices, " << ranks << " ranks, root "
                 << root);
    const Forest forest = topo::forest_of(network, {root, 16});
    std::vector<std::int64_t> counts(network.ranks.size());
    for (const OutTree& tree : forest.list) {
      CHECK(wrong_with(tree, network.ranks.size()) == "");
      counts[static_cast<std::size_t>(tree.root)] += tree.count;
    }
    for (std::int32_t rank = 0; rank < ranks; ++rank)
      CHECK(counts[static_cast<std::size_t>(rank)] == (root < 0 || root == rank ? forest.trees : 0));
    CHECK(fullest(network, forest) <= 1 + 1e-9);
    const double reached = forest.rate * static_cast<double>(forest.trees) / best_of_a_root(network, root);
    CHECK(reached <= 1 + 1e-9);
    worst = std::min(worst, reached);
  }
  CHECK(worst >= 0.98);  // of at most 16 trees a root
}

TEST_CASE("trees: up to 32 GPUs on random switches reach 0.98 of the bound and more") {
  constexpr unsigned seed = 32;
  std::mt19937 random(seed);
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  const auto gigabytes = [&] { return std::vector{12.5, 25.0, 50.0, 100.0, 300.0, 450.0}[below(6)]; };
  for (int round = 0; round < usual_or_thorough(40, 200); ++round) {
    const unsigned gpus = 2 + below(31);
    const unsigned switches = 1 + below(8);
    std::vector<Wire> wires;
    for (unsigned i = 1; i < switches; ++i) wires.push_back({gpus + i, gpus + below(i), gigabytes()});
    for (unsigned gpu = 0; gpu < gpus; ++gpu) {
      for (unsigned links = 1 + below(2); links > 0; --links) wires.push_back({gpu, gpus + below(switches), gigabytes()});
      if (gpu > 0 && below(3) == 0) wires.push_back({gpu, below(gpu), gigabytes()});
    }
    const topo::Graph graph = wired(gpus, switches, wires);
    const Network network = topo::network_of(graph, {});
    const Forest forest = topo::forest_of(network, {-1, 16});
    INFO("seed " << seed << ", round " << round << ", " << gpus << " GPUs, " << switches << " switches");
    CHECK(forest.rate * static_cast<double>(forest.trees) >= 0.98 * best_of_a_root(network, -1));
    for (const OutTree& tree : forest.list) CHECK(wrong_with(tree, network.ranks.size()) == "");
  }
}
