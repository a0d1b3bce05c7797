// Trees along tiers of switches: as fast as those that are packed on the general path, shallow, and within what links carry.
#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

#include "tests/bound/forests.hpp"
#include "tests/bound/wired.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "topo/trees/tiers.hpp"
#include "topo/trees/trees.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

struct Machines {
  unsigned hosts = 4, gpus = 4;  // of a host
  unsigned nvswitches = 1;       // of a host
  unsigned of_leaf = 2;          // hosts; all: there are no spines
  unsigned spines = 2;
  bool rails = false;  // GPU k of each host is on leaf k of its unit
  double nvlink = 450, nic = 50, uplink = 100;
};

// Every GPU has a NIC, which is a switch of two links here.
struct Cabling {
  unsigned gpus = 0, switches = 0;
  std::vector<Wire> wires;
};

Cabling plan_of(const Machines& it) {
  Cabling plan;
  plan.gpus = it.hosts * it.gpus;
  const unsigned first_nic = plan.gpus + it.hosts * it.nvswitches;
  const unsigned first_leaf = first_nic + plan.gpus;
  const unsigned units = it.hosts / it.of_leaf;
  const unsigned leaves = units * (it.rails ? it.gpus : 1);
  for (unsigned gpu = 0; gpu < plan.gpus; ++gpu) {
    const unsigned host = gpu / it.gpus;
    for (unsigned i = 0; i < it.nvswitches; ++i)
      plan.wires.push_back({gpu, plan.gpus + host * it.nvswitches + i, it.nvlink / it.nvswitches});
    const unsigned unit = host / it.of_leaf;
    plan.wires.push_back({gpu, first_nic + gpu, 63});
    plan.wires.push_back({first_nic + gpu, first_leaf + (it.rails ? unit * it.gpus + gpu % it.gpus : unit), it.nic});
  }
  if (leaves > 1)
    for (unsigned leaf = 0; leaf < leaves; ++leaf)
      for (unsigned spine = 0; spine < it.spines; ++spine)
        plan.wires.push_back({first_leaf + leaf, first_leaf + leaves + spine, it.uplink});
  plan.switches = first_leaf - plan.gpus + leaves + (leaves > 1 ? it.spines : 0);
  return plan;
}

topo::Network network_of(const Cabling& plan) { return topo::network_of(wired(plan.gpus, plan.switches, plan.wires), {}); }

std::string wrong_with_all(const topo::Network& network, const topo::Forest& forest) {
  for (const topo::OutTree& tree : forest.list)
    if (const std::string wrong = wrong_with(tree, network.ranks.size()); !wrong.empty()) return wrong;
  return forest.paths.empty() ? "the trees have no paths" : wrong_with_paths(network, forest);
}

double reached(const topo::Forest& forest) { return forest.rate * static_cast<double>(forest.trees); }

}  // namespace

TEST_CASE("tiers: hosts of one leaf, then leaves") {
  const topo::Network network = network_of(plan_of({}));
  const auto tiers = topo::tiers_of(topo::wires_of(network));
  REQUIRE(tiers);
  std::vector<std::size_t> sizes;
  for (const topo::Group& group : tiers->groups) sizes.push_back(group.ranks.size());
  CHECK(std::vector<std::size_t>(sizes.begin() + 16, sizes.end()) == std::vector<std::size_t>{4, 4, 4, 4, 8, 8, 16});
  CHECK(tiers->groups.back().children == std::vector<std::uint32_t>{20, 21});
  CHECK(tiers->groups.back().switches.size() == 2);
  CHECK(tiers->groups[16].leaving.size() == 4);  // the links of its NICs
}

TEST_CASE("tiers: there are none of a ring") {
  const topo::Graph ring = wired(4, 0, {{0, 1, 10}, {1, 2, 10}, {2, 3, 10}, {3, 0, 10}});
  CHECK_FALSE(topo::tiers_of(topo::wires_of(topo::network_of(ring, {}))));
}

TEST_CASE("relay: random fabrics, as fast as by edge splitting, and no link is asked for more than it carries") {
  constexpr unsigned seed = 2601;
  std::mt19937 random(seed);
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  int along_tiers = 0;
  const int rounds = usual_or_thorough(24, 300);
  for (int round = 0; round < rounds; ++round) {
    Machines it;
    it.gpus = 1 + below(4);
    it.nvswitches = 1 + below(2);
    it.of_leaf = 1 + below(3);
    it.hosts = it.of_leaf * (1 + below(3));
    if (it.hosts == 1) it.hosts = it.of_leaf = 2;
    it.spines = 1 + below(3);
    it.rails = below(2) == 0;
    it.nvlink = std::vector{150.0, 300.0, 450.0}[below(3)];
    it.uplink = std::vector{50.0, 100.0, 200.0}[below(3)];
    Cabling plan = plan_of(it);
    if (below(3) == 0) plan.wires[below(static_cast<unsigned>(plan.wires.size()))].gigabytes = 20;  // one link is slow
    const topo::Network network = network_of(plan);
    const std::int32_t root = below(4) == 0 ? static_cast<std::int32_t>(below(plan.gpus)) : -1;
    INFO("seed " << seed << ", round " << round << ", " << plan.gpus << " GPUs in " << it.hosts << " hosts, " << it.of_leaf
                 << " a leaf, " << it.spines << " spines, rails " << it.rails << ", root " << root);
    const topo::Forest forest = topo::forest_of(network, {root, 8});
    const topo::Forest general = topo::forest_of(network, {root, 8, true});
    CHECK(general.paths.empty());
    CHECK(reached(forest) <= best_of_a_root(network, root) * (1 + 1e-9));
    CHECK(reached(forest) >= 0.99 * reached(general));
    if (forest.paths.empty()) continue;
    ++along_tiers;
    CHECK(wrong_with_all(network, forest) == "");
  }
  CHECK(along_tiers >= rounds / 3);
}

TEST_CASE("relay: 256 GPUs of fat trees and rails, whole and with a slow link, reach the bound by shallow trees", "[long]") {
  for (const bool rails : {false, true})
    for (const bool slow : {false, true}) {
      Machines it{32, 8, 2, 16, 8, rails, 450, 50, rails ? 100.0 : 800.0};
      Cabling plan = plan_of(it);
      if (slow) plan.wires[3].gigabytes = 25;  // of a NIC
      const topo::Network network = network_of(plan);
      const topo::Forest forest = topo::forest_of(network, {});
      INFO("rails " << rails << ", slow " << slow);
      CHECK(reached(forest) >= 0.99 * best_of_a_root(network, -1));
      CHECK(wrong_with_all(network, forest) == "");
      CHECK(forest.height() <= 20);
    }
}

TEST_CASE("relay: 1,024 GPUs of a fat tree") {
  if (!thorough()) skip("RAILGAUGE_THOROUGH is not set: packs more than a million branches");
  const topo::Network network = network_of(plan_of({128, 8, 4, 32, 16, false, 450, 50, 800}));
  const topo::Forest forest = topo::forest_of(network, {});
  CHECK(reached(forest) >= 0.99 * best_of_a_root(network, -1));
  CHECK(wrong_with_all(network, forest) == "");
}
