// Forwarding tables become the cables that data takes, and agree with the shortest paths of the fabric they were made for.
#include "bench/validate/method/routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/validate/method/fabric.hpp"
#include "tests/test.hpp"
#include "tests/topo/generate.hpp"
#include "tests/validate/managed.hpp"
#include "topo/read/build.hpp"

namespace railgauge::validate {
namespace {

Fleet fleet_in(const topo::Graph& graph, Index rails) {
  Fleet fleet;
  fleet.rails = rails;
  for (const topo::Node& node : graph.nodes) {
    if (node.kind != topo::Kind::machine) continue;
    Host host;
    host.name = node.name;
    host.rails.resize(rails);
    fleet.hosts.push_back(std::move(host));
  }
  return fleet;
}

// Follows the tables by hand, over the graph's own links.
std::vector<std::string> by_hand(const test::Managed& it, const Fleet& fleet, Index from, Index to, Index rail) {
  std::map<std::pair<std::string, unsigned>, const topo::Link*> links;
  for (const topo::Link& link : it.graph.links) {
    if (link.kind != topo::LinkKind::infiniband) continue;
    links[{link.a, link.a_port}] = &link;
    links[{link.b, link.b_port}] = &link;
  }
  std::vector<std::string> switches;
  std::string at = fleet.switches[leaf_of(fleet, from, rail)].key;
  while (at != fleet.switches[leaf_of(fleet, to, rail)].key) {
    const unsigned port = it.ports.at(at).at(fleet.hosts[to].rails[rail].address);
    const topo::Link& link = *links.at({at, port});
    at = link.a == at && link.a_port == port ? link.b : link.a;
    switches.push_back(fmt::format("{}", at));
  }
  return switches;
}

void check_all_pairs(const test::Managed& it, Index rails) {
  Fleet fleet = fleet_in(it.graph, rails);
  const FabricFound found = add_fabric(fleet, it.graph);
  REQUIRE(found.strangers.empty());
  REQUIRE(found.loose.empty());
  REQUIRE(static_cast<bool>(fleet.route));
  std::size_t passed = 0, wrong = 0;
  std::vector<Hop> hops;
  for (Index rail = 0; rail < rails; ++rail)
    for (Index from = 0; from < fleet.hosts.size(); ++from)
      for (Index to = 0; to < fleet.hosts.size(); ++to) {
        if (from == to) continue;
        hops.clear();
        fleet.route(from, to, rail, hops);
        std::vector<std::string> switches;
        bool turned = false;
        for (const Hop& hop : hops) {
          const Cable& cable = fleet.cables[hop.cable];
          switches.push_back(fleet.switches[hop.down ? cable.a : cable.b].key);
          wrong += turned && !hop.down ? 1 : 0;  // up, then down, and never up again
          turned = turned || hop.down;
        }
        // As many hops as the shortest path has: 0, 2 or 4.
        const std::size_t shortest = distance(fleet, from, to, rail) == Distance::leaf  ? 0
                                     : distance(fleet, from, to, rail) == Distance::pod ? 2
                                                                                        : 4;
        wrong += switches != by_hand(it, fleet, from, to, rail) || hops.size() != shortest ? 1 : 0;
        passed += hops.size();
      }
  CHECK(wrong == 0);
  CHECK(passed > 0);
}

TEST_CASE("routes by forwarding tables are shortest paths, for all pairs of random fat trees") {
  for (const unsigned seed : {1U, 2U, 3U}) {
    std::mt19937 random(seed);
    INFO("seed " << seed);
    for (const unsigned k : {4U, 6U}) check_all_pairs(test::manage(test::fat_tree(k), random), 1);
  }
}

TEST_CASE("routes of rails stay on the leaves of their rail", "[long]") {
  std::mt19937 random(5);
  check_all_pairs(test::manage(test::rail_optimised(70, 2), random), 2);
}

TEST_CASE("without the table of one switch routes are unknown, and sets take their place") {
  std::mt19937 random(9);
  test::Managed it = test::manage(test::fat_tree(4), random);
  for (topo::Node& node : it.graph.nodes)
    if (node.attributes.erase("routes") != 0) break;
  Fleet fleet = fleet_in(it.graph, 1);
  CHECK(add_fabric(fleet, it.graph).strangers.empty());
  CHECK(!fleet.route);
  CHECK(sets_passed(fleet, 0, 15, 0).above);
}

TEST_CASE("a port that no table can name is on no route") {
  std::mt19937 random(13);
  test::Managed it = test::manage(test::fat_tree(4), random);
  int changed = 0;
  for (topo::Link& link : it.graph.links)
    if (link.a_port && ++changed % 3 == 0) link.a_port = std::numeric_limits<unsigned>::max();
  REQUIRE(changed > 3);
  Fleet fleet = fleet_in(it.graph, 1);
  CHECK(add_fabric(fleet, it.graph).strangers.empty());
  REQUIRE(static_cast<bool>(fleet.route));
  std::vector<Hop> hops;
  for (Index from = 0; from < 16; ++from)
    for (Index to = 0; to < 16; ++to) fleet.route(from, to, 0, hops);
}

TEST_CASE("a table that leads to no port, or in a circle, gives no hops") {
  std::mt19937 random(11);
  test::Managed it = test::manage(test::fat_tree(4), random);
  for (topo::Node& node : it.graph.nodes)
    if (node.attributes.contains("routes")) node.attributes["routes"] = std::string("1-16=3");  // always up, or to one pod
  Fleet fleet = fleet_in(it.graph, 1);
  CHECK(add_fabric(fleet, it.graph).strangers.empty());
  REQUIRE(static_cast<bool>(fleet.route));
  std::vector<Hop> hops;
  for (Index from = 0; from < 16; ++from)
    for (Index to = 0; to < 16; ++to) {
      hops.clear();
      fleet.route(from, to, 0, hops);
      REQUIRE(hops.size() <= 16);
    }
}

}  // namespace
}  // namespace railgauge::validate
