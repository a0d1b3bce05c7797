// From topologies of all kinds to fleets: who is who, leaves, tiers, pods and cables.
#include "bench/validate/method/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/validate/method/tournament.hpp"
#include "tests/test.hpp"
#include "tests/topo/generate.hpp"
#include "topo/merge.hpp"
#include "topo/ratios.hpp"
#include "topo/read/build.hpp"

namespace railgauge::validate {
namespace {

Fleet fleet_of(const std::vector<std::string>& names, Index rails = 1) {
  Fleet fleet;
  fleet.rails = rails;
  for (const std::string& name : names) {
    Host host;
    host.name = name;
    host.rails.resize(rails);
    fleet.hosts.push_back(std::move(host));
  }
  return fleet;
}
std::vector<std::string> nodes(unsigned from, unsigned to) {
  std::vector<std::string> names;
  for (unsigned i = from; i <= to; ++i) names.push_back(fmt::format("node{:05}", i));
  return names;
}
std::string leaf_name(const Fleet& fleet, Index host, Index rail = 0) {
  const Index leaf = leaf_of(fleet, host, rail);
  return leaf == npos ? "-" : fleet.switches[leaf].name;
}
std::map<Tier, std::size_t> count_tiers(const Fleet& fleet) {
  std::map<Tier, std::size_t> counts;
  for (const Switch& it : fleet.switches) ++counts[it.tier];
  return counts;
}
topo::Graph graph_of_text(const std::string& source, const std::string& text) {
  return topo::build(topo::Evidence{{source, "a test", text}});
}
const std::string two_leaves =
    "switchguid=0x10(10)\nSwitch 40 \"S-0000000000000010\" # \"leaf0\" base port 0 lid 1 lmc 0\n"
    "[1] \"H-0000000000000030\"[1](31) # \"n0 mlx5_0\" lid 4 4xEDR\n"
    "[2] \"H-0000000000000032\"[1](33) # \"n1 mlx5_0\" lid 5 4xEDR\n"
    "[40] \"S-0000000000000012\"[1] # \"spine0\" lid 3 4xEDR\n\n"
    "switchguid=0x11(11)\nSwitch 40 \"S-0000000000000011\" # \"leaf1\" base port 0 lid 2 lmc 0\n"
    "[1] \"H-0000000000000034\"[1](35) # \"n2 mlx5_0\" lid 6 4xEDR\n"
    "[2] \"H-0000000000000036\"[1](37) # \"n3 mlx5_0\" lid 7 4xEDR\n"
    "[40] \"S-0000000000000012\"[2] # \"spine0\" lid 3 4xEDR\n\n"
    "switchguid=0x12(12)\nSwitch 40 \"S-0000000000000012\" # \"spine0\" base port 0 lid 3 lmc 0\n"
    "[1] \"S-0000000000000010\"[40] # \"leaf0\" lid 1 4xEDR\n"
    "[2] \"S-0000000000000011\"[40] # \"leaf1\" lid 2 4xEDR\n";

TEST_CASE("a fleet behind two leaves and a spine has their names, ports and tiers") {
  Fleet fleet = fleet_of({"n0", "n1", "n2", "n3"});
  const FabricFound found = add_fabric(fleet, graph_of_text("ibnetdiscover", two_leaves));
  CHECK(found.strangers.empty());
  CHECK(found.loose.empty());
  CHECK(found.tiers == 2);
  REQUIRE(fleet.switches.size() == 3);
  CHECK(count_tiers(fleet) == std::map<Tier, std::size_t>{{Tier::leaf, 2}, {Tier::spine, 1}});
  CHECK(leaf_name(fleet, 0) == "leaf0");
  CHECK(leaf_name(fleet, 3) == "leaf1");
  CHECK(fleet.hosts[3].rails[0].leaf_port == 2);
  CHECK(fleet.hosts[3].rails[0].port == "mlx5_0/1");
  REQUIRE(fleet.cables.size() == 2);
  for (const Cable& it : fleet.cables) {
    CHECK(fleet.switches[it.a].tier == Tier::leaf);
    CHECK(fleet.switches[it.b].name == "spine0");
    CHECK(it.a_port == 40);
    CHECK(it.b_port == (fleet.switches[it.a].name == "leaf0" ? 1 : 2));
  }
  CHECK(fleet.cables[0].key == "0x0000000000000010:40 - 0x0000000000000012:1 infiniband");
  CHECK(distance(fleet, 0, 1, 0) == Distance::leaf);
  CHECK(distance(fleet, 0, 2, 0) == Distance::pod);
  CHECK(!fleet.route);
  CHECK(sets_passed(fleet, 0, 2, 0).leaves);
  CHECK(!sets_passed(fleet, 0, 1, 0).leaves);
}

TEST_CASE("hosts are known by name, by name without domain, or by the GUID of a device, and by nothing else") {
  const topo::Graph graph = graph_of_text("ibnetdiscover", two_leaves);
  Fleet fleet = fleet_of({"n0.cluster.example", "N1", "rank-17", "n9"});
  const FabricFound without = add_fabric(fleet, graph);
  CHECK(without.strangers == std::vector<Index>{2, 3});
  const std::vector<HostDevices> devices{{}, {}, {{"mlx5_0", "0x0000000000000036"}}, {{"mlx5_0", "0x0000000000000099"}}};
  const FabricFound with = add_fabric(fleet, graph, devices);
  CHECK(with.strangers == std::vector<Index>{3});
  CHECK(leaf_name(fleet, 0) == "leaf0");
  CHECK(leaf_name(fleet, 1) == "leaf0");
  CHECK(leaf_name(fleet, 2) == "leaf1");
  CHECK(fleet.hosts[2].rails[0].leaf_port == 2);
  CHECK(leaf_name(fleet, 3) == "-");
  CHECK(distance(fleet, 0, 3, 0) == Distance::unknown);
  CHECK(with.machines.size() == 2);
  // Two that would be the same machine are neither.
  Fleet twice = fleet_of({"n0.a", "n0.b", "n1"});
  CHECK(add_fabric(twice, graph).strangers == std::vector<Index>{0, 1});
  // A fleet that is told again, by another topology, keeps nothing of the first.
  Fleet strangers = fleet_of({"x", "y"});
  CHECK(add_fabric(strangers, graph).strangers.size() == 2);
  CHECK(strangers.switches.empty());
  CHECK(strangers.cables.empty());
}

TEST_CASE("a fat tree of three tiers has pods, cores, and each cable once") {
  constexpr unsigned k = 6;
  const topo::Graph graph = to_graph(test::fat_tree(k));
  Fleet fleet = fleet_of(nodes(1, k * k * k / 4));
  const FabricFound found = add_fabric(fleet, graph);
  CHECK(found.strangers.empty());
  CHECK(found.tiers == 3);
  CHECK(count_tiers(fleet) == std::map<Tier, std::size_t>{{Tier::leaf, 18}, {Tier::spine, 18}, {Tier::core, 9}});
  CHECK(fleet.cables.size() == 108);
  std::set<std::string> keys;
  for (const Cable& it : fleet.cables) {
    CHECK(keys.insert(it.key).second);
    CHECK(static_cast<int>(fleet.switches[it.a].tier) + 1 == static_cast<int>(fleet.switches[it.b].tier));
  }
  for (Index host = 0; host < fleet.hosts.size(); ++host) {
    CHECK(fleet.hosts[host].pod == host / 9);
    CHECK(leaf_name(fleet, host) == fmt::format("leaf-p{:02}-{:02}", host / 9 + 1, host / 3 % 3 + 1));
    CHECK(fleet.hosts[host].rails[0].leaf_port == host % 3 + 1);
  }
  CHECK(distance(fleet, 0, 2, 0) == Distance::leaf);
  CHECK(distance(fleet, 0, 3, 0) == Distance::pod);
  CHECK(distance(fleet, 0, 9, 0) == Distance::pods);
  // Rounds are drawn by that.
  std::set<Distance> aims;
  for (const Round& round : tournament(fleet, {4, 1})) {
    aims.insert(round.aim);
    std::size_t as_aimed = 0;
    for (const Pair& pair : round.pairs) as_aimed += distance(fleet, pair.a, pair.b, 0) == round.aim ? 1 : 0;
    CHECK(as_aimed > 0);
  }
  CHECK(aims == std::set<Distance>{Distance::leaf, Distance::pod, Distance::pods});
}

TEST_CASE("of a few hosts of a large fabric only the switches between them are known") {
  const topo::Graph graph = to_graph(test::fat_tree(8));
  Fleet fleet = fleet_of(nodes(1, 4));  // one leaf
  CHECK(add_fabric(fleet, graph).strangers.empty());
  const auto tiers = count_tiers(fleet);
  CHECK(tiers.at(Tier::leaf) == 1);
  CHECK(tiers.at(Tier::spine) == 4);
}

TEST_CASE("each rail has its own leaf, by the number of its NIC or by the port that it was told to send by") {
  const topo::Graph graph = to_graph(test::rail_optimised(96, 4));
  Fleet fleet = fleet_of(nodes(1, 96), 4);
  CHECK(add_fabric(fleet, graph).loose.empty());
  for (Index host = 0; host < fleet.hosts.size(); ++host)
    for (Index rail = 0; rail < 4; ++rail) {
      CHECK(leaf_name(fleet, host, rail) == fmt::format("leaf-u{:02}-r{}", host / 32 + 1, rail));
      CHECK(fleet.hosts[host].rails[rail].port == fmt::format("mlx5_{}/1", rail));
    }
  // Two of the four NICs, in another order, as UCX names them.
  Fleet two = fleet_of(nodes(1, 64), 2);
  for (Host& host : two.hosts) {
    host.rails[0].port = "mlx5_2:1";
    host.rails[1].port = "mlx5_1";
  }
  CHECK(add_fabric(two, graph).loose.empty());
  CHECK(leaf_name(two, 40, 0) == "leaf-u02-r2");
  CHECK(leaf_name(two, 40, 1) == "leaf-u02-r1");
  CHECK(two.hosts[40].rails[0].port == "mlx5_2/1");
  // Which two of four is a guess that is not made.
  Fleet unknown = fleet_of(nodes(1, 64), 2);
  CHECK(add_fabric(unknown, graph).loose.size() == 64);
  CHECK(leaf_name(unknown, 40, 0) == "-");
}

TEST_CASE("a port that the fabric calls otherwise is known by its device's GUID") {
  std::string text = two_leaves;
  for (const char* host : {"n0", "n1", "n2", "n3"}) {
    const std::string from = std::string(host) + " mlx5_0";
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from))
      text.replace(at, from.size(), std::string(host) + " HCA-1");
  }
  // A second adapter of n0, on the other leaf.
  text.replace(text.find("[40] \"S-0000000000000012\"[2]"), 0, "[3] \"H-0000000000000038\"[1](39) # \"n0 HCA-2\" lid 8 4xEDR\n");
  const topo::Graph graph = graph_of_text("ibnetdiscover", text);
  Fleet fleet = fleet_of({"n0", "n1", "n2", "n3"});
  for (Host& host : fleet.hosts) host.rails[0].port = "mlx5_1:1";
  const std::vector<HostDevices> devices{{{"mlx5_0", "0x0000000000000030"}, {"mlx5_1", "0x0000000000000038"}}, {}, {}, {}};
  CHECK(add_fabric(fleet, graph).loose == std::vector<Index>{0});
  CHECK(add_fabric(fleet, graph, devices).loose.empty());
  CHECK(leaf_name(fleet, 0) == "leaf1");
  CHECK(fleet.hosts[0].rails[0].leaf_port == 3);
  CHECK(leaf_name(fleet, 1) == "leaf0");
}

TEST_CASE("switches that share a name, or have none, are told apart by their GUIDs") {
  std::string text = two_leaves;
  for (const char* name : {"leaf0", "leaf1", "spine0"})
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name))
      text.replace(at, std::string(name).size(), std::string(name) == "spine0" ? "" : "MF0;switch:MQM8700/U1");
  Fleet fleet = fleet_of({"n0", "n1", "n2", "n3"});
  CHECK(add_fabric(fleet, graph_of_text("ibnetdiscover", text)).strangers.empty());
  CHECK(leaf_name(fleet, 0) == "switch (0x0000000000000010)");
  CHECK(leaf_name(fleet, 3) == "switch (0x0000000000000011)");
  CHECK(fleet.switches[2].name == "S-0000000000000012");
}

TEST_CASE("Slurm's tree names leaves and what is above them, and no cable of a host") {
  const topo::Graph graph = graph_of_text("slurm-conf",
                                          "SwitchName=leaf1 Nodes=n[0-1]\nSwitchName=leaf2 Nodes=n[2-3]\n"
                                          "SwitchName=leaf3 Nodes=n[4-5]\nSwitchName=leaf4 Nodes=n[6-7]\n"
                                          "SwitchName=pod1 Switches=leaf[1-2]\nSwitchName=pod2 Switches=leaf[3-4]\n"
                                          "SwitchName=core Switches=pod[1-2]\n");
  for (const Index rails : {1U, 2U}) {
    Fleet fleet = fleet_of({"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"}, rails);
    const FabricFound found = add_fabric(fleet, graph);
    CHECK(found.strangers.empty());
    CHECK(found.loose.empty());
    CHECK(leaf_name(fleet, 5, rails - 1) == "leaf3");
    CHECK(fleet.hosts[5].rails[0].leaf_port == 0);
    CHECK(fleet.hosts[5].rails[0].port.empty());
    CHECK(distance(fleet, 0, 1, 0) == Distance::leaf);
    CHECK(distance(fleet, 0, 2, 0) == Distance::pod);
    CHECK(distance(fleet, 0, 4, 0) == Distance::pods);
    CHECK(sets_passed(fleet, 0, 4, 0).above);
  }
}

TEST_CASE("a topology without a fabric leaves a fleet as it was") {
  topo::Graph machine;
  machine.nodes.push_back({"n0", topo::Kind::machine, "n0", "", {}, {}});
  Fleet fleet = fleet_of({"n0", "n1"});
  const FabricFound found = add_fabric(fleet, machine);
  CHECK(found.machines.empty());
  CHECK(found.loose == std::vector<Index>{0});  // it is known, and has no cable
  CHECK(found.strangers == std::vector<Index>{1});
  CHECK(fleet.switches.empty());
}

TEST_CASE("any damaged list of a fabric gives a fleet that holds together, or a sentence") {
  std::mt19937 random(7);
  int refused = 0, taken = 0;
  for (int turn = 0; turn < 300; ++turn) {
    std::string text = two_leaves;
    for (int i = 0; i < 3; ++i) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0)
        text.erase(at, random() % 40);
      else
        text[at] = static_cast<char>('0' + random() % 10);
    }
    Fleet fleet = fleet_of({"n0", "n1", "n2", "n3"});
    try {
      (void)add_fabric(fleet, graph_of_text("ibnetdiscover", text));
    } catch (const Error& error) {
      ++refused;
      CHECK(error.fault() == Fault::usage);
      continue;
    }
    ++taken;
    for (const Cable& it : fleet.cables) REQUIRE((it.a < fleet.switches.size() && it.b < fleet.switches.size() && it.a != it.b));
    for (const Host& host : fleet.hosts)
      for (const Attachment& it : host.rails) REQUIRE((it.leaf == npos || it.leaf < fleet.switches.size()));
    for (Index a = 0; a < 4; ++a)
      for (Index b = 0; b < 4; ++b) (void)sets_passed(fleet, a, b, 0);
  }
  CHECK(refused > 0);
  CHECK(taken > 0);
}

TEST_CASE("a fabric of 16,384 hosts is a fleet", "[long]") {
  const topo::Graph graph = to_graph(test::rail_optimised(16384, 2));
  Fleet fleet = fleet_of(nodes(1, 16384), 2);
  const FabricFound found = add_fabric(fleet, graph);
  CHECK(found.strangers.empty());
  CHECK(found.loose.empty());
  CHECK(count_tiers(fleet).at(Tier::leaf) == 1024);
  CHECK(fleet.hosts.back().pod == 15);
  CHECK(leaf_name(fleet, 16383, 1) == "leaf-u512-r1");
}

}  // namespace
}  // namespace railgauge::validate
