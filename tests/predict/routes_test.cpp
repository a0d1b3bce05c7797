// Which arcs a message takes: NVLink, PCIe, the nearest NIC, all shortest paths or one of them.
#include "bench/predict/routes/routes.hpp"

#include <map>
#include <set>

#include "base/error.hpp"
#include "tests/predict/clusters.hpp"
#include "tests/test.hpp"
#include "topo/network/network.hpp"

namespace railgauge::test {
namespace {

using predict::Incidence;
using predict::Medium;
using predict::Route;
using predict::Routes;
using predict::Routing;
using predict::RoutingKind;

class World {
 public:
  explicit World(topo::Graph graph, const Routing& routing = {})
      : graph_(std::move(graph)),
        network_(topo::network_of(graph_, {})),
        incidence_(graph_, network_),
        routes_(incidence_, routing) {}
  Route between(std::int32_t from, std::int32_t to) { return routes_.between(from, to); }
  // The share of the flow over each link, by the keys of its ends in the direction of the flow.
  std::map<std::string, double> shares(std::int32_t from, std::int32_t to) {
    std::map<std::string, double> result;
    visit(between(from, to).path, [&](std::uint32_t arc, double share) {
      const topo::Link& link = graph_.links[network_.arcs[arc].link];
      result[arc % 2 == 0 ? link.a + ">" + link.b : link.b + ">" + link.a] += share;
    });
    return result;
  }
  // Each vertex passes on all that comes in, and all leaves the sender and reaches the receiver.
  bool conserves(std::int32_t from, std::int32_t to) {
    std::vector<double> balance(network_.vertices.size(), 0);
    balance[network_.ranks[static_cast<std::size_t>(from)]] += 1;
    balance[network_.ranks[static_cast<std::size_t>(to)]] -= 1;
    visit(between(from, to).path, [&](std::uint32_t arc, double share) {
      balance[network_.arcs[arc].from] -= share;
      balance[network_.arcs[arc].to] += share;
    });
    return std::all_of(balance.begin(), balance.end(), [](double it) { return it < 1e-9 && it > -1e-9; });
  }
  [[nodiscard]] std::int32_t ranks() const { return static_cast<std::int32_t>(network_.ranks.size()); }

 private:
  topo::Graph graph_;
  topo::Network network_;
  Incidence incidence_;
  Routes routes_;
};

}  // namespace

TEST_CASE("GPUs of a machine speak over NVLink, without NVLink over PCIe") {
  World with(cluster_graph({}));
  CHECK(with.between(0, 3).medium == Medium::gpu_links);
  CHECK(with.shares(0, 3) == std::map<std::string, double>{{"m0/gpu0>m0/nvswitch", 1}, {"m0/nvswitch>m0/gpu3", 1}});
  Cluster plain;
  plain.nvlink = 0;
  World without(cluster_graph(plain));
  CHECK(without.between(0, 3).medium == Medium::pcie);
  CHECK(without.shares(0, 3).size() == 4);
}

TEST_CASE("machines speak by the NIC that is nearest to the GPU, and over all spines") {
  Cluster two_leaves;
  two_leaves.leaf_machines = 1;
  World world(cluster_graph(two_leaves));
  const auto shares = world.shares(1, 5);  // GPU 1 of m0 to GPU 1 of m1
  CHECK(shares.at("m0/nic1>leaf0.1") == 1);
  CHECK(shares.at("leaf0.1>spine0") == 0.5);
  CHECK(shares.at("spine1>leaf1.1") == 0.5);
  CHECK(shares.at("leaf1.1>m1/nic1") == 1);
  CHECK(world.between(1, 5).switches == 3);
  CHECK(World(cluster_graph({})).between(1, 5).switches == 1);
}

TEST_CASE("a wider uplink takes more of what passes") {
  Cluster two_leaves;
  two_leaves.leaf_machines = 1;
  topo::Graph graph = cluster_graph(two_leaves);
  link_between(graph, "leaf0.1", "spine0").bandwidth = {150, 150, 0};
  CHECK(World(graph).shares(1, 5).at("leaf0.1>spine0") == 0.75);
}

TEST_CASE("with rails that nothing joins, a GPU beside the sender hands a message on") {
  Cluster apart;
  apart.spines = 0;
  World world(cluster_graph(apart));
  const Route route = world.between(0, 6);  // rail 0 to rail 2
  CHECK(route.relayed);
  CHECK(world.shares(0, 6).contains("m0/nvswitch>m0/gpu2"));
  CHECK(world.shares(0, 6).contains("leaf0.2>m1/nic2"));
  CHECK_FALSE(world.between(2, 6).relayed);
}

TEST_CASE("ECMP draws one path of a pair, the same for the same seed, and uses all of them for many") {
  Cluster wide;
  wide.leaf_machines = 1;
  wide.spines = 4;
  std::set<std::string> used;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    World world(cluster_graph(wide), {RoutingKind::ecmp, seed});
    World again(cluster_graph(wide), {RoutingKind::ecmp, seed});
    const auto shares = world.shares(0, 4);
    CHECK(shares == again.shares(0, 4));
    CHECK(world.conserves(0, 4));
    for (const auto& [link, share] : shares) {
      CHECK(share == 1);
      used.insert(link);
    }
  }
  for (int spine = 0; spine < 4; ++spine) CHECK(used.contains("leaf0.0>spine" + std::to_string(spine)));
}

TEST_CASE("what a rank sends arrives whole, whatever the cluster") {
  for (const unsigned gpus : {0U, 1U, 3U, 4U})
    for (const unsigned leaf_machines : {1U, 2U, 5U})
      for (const bool rails : {false, true})
        for (const bool adaptive : {false, true}) {
          CAPTURE(gpus, leaf_machines, rails, adaptive);
          World world(cluster_graph({.machines = 5, .gpus = gpus, .leaf_machines = leaf_machines, .rails = rails}),
                      {adaptive ? RoutingKind::adaptive : RoutingKind::ecmp, 7});
          for (std::int32_t from = 0; from < world.ranks(); ++from)
            for (std::int32_t to = 0; to < world.ranks(); ++to)
              if (from != to) CHECK(world.conserves(from, to));
        }
}

}  // namespace railgauge::test
