// Stages over a made-up cluster, whose hosts answer as its faults have them.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "bench/validate/method/fabric.hpp"
#include "bench/validate/method/outcome.hpp"
#include "bench/validate/method/peers.hpp"
#include "bench/validate/preflight/facts.hpp"
#include "bench/validate/stages/journal.hpp"
#include "bench/validate/stages/map.hpp"
#include "bench/validate/stages/stages.hpp"
#include "bench/validate/stages/switches.hpp"
#include "reports/validation/fields.hpp"
#include "reports/validation/writers.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "tests/topo/generate.hpp"
#include "tests/validate/cluster.hpp"
#include "tests/validate/managed.hpp"
#include "topo/read/build.hpp"

namespace railgauge::validate {
namespace {

using test::ContainsSubstring;

using nlohmann::json;
using validation::HostState;

TEST_CASE("stages: a healthy cluster passes, of any size", "[long]") {
  for (const std::size_t hosts : {2, 3, 4, 5, 8, 17}) {
    if (test::sanitized && hosts > 4) continue;
    INFO(hosts);
    Cluster cluster(hosts);
    const validation::Validation found = validate_it(cluster);
    INFO(found.sentence);
    CHECK(found.outcome == validation::Outcome::passed);
    for (const validation::Host& host : found.hosts) CHECK(host.state == HostState::good);
  }
}

TEST_CASE("stages: who sends, receives or answers slowly is named, and nobody else", "[long]") {
  for (const std::size_t hosts : few_or_more())
    for (std::size_t host = 0; host < hosts; host += test::usual_or_thorough<std::size_t>(5, 3)) {
      const std::string name = "n" + std::to_string(host);
      Cluster slow(hosts), sends(hosts), late(hosts);
      slow.send[host] = slow.receive[host] = 0.95;
      sends.send[host] = 0.1;
      late.longer[host] = 5;
      INFO(hosts << " hosts, " << name);
      CHECK(faulty(validate_it(slow)) == std::vector<std::string>{name + " bandwidth"});
      CHECK(faulty(validate_it(sends)) == std::vector<std::string>{name + " bandwidth"});
      CHECK(faulty(validate_it(late)) == std::vector<std::string>{name + " latency"});
    }
}

TEST_CASE("stages: who adds to latency is named where most hosts do") {
  for (const auto& [hosts, late] : {std::pair(4U, 2U), {4U, 3U}, {8U, 4U}, {8U, 7U}}) {
    Cluster cluster(hosts);
    std::vector<std::string> wanted;
    for (unsigned i = 0; i < late; ++i) {
      cluster.longer[i] = 20;
      wanted.push_back("n" + std::to_string(i) + " latency");
    }
    std::vector<std::string> named = faulty(validate_it(cluster));
    std::sort(named.begin(), named.end());
    INFO(late << " of " << hosts << " hosts");
    CHECK(named == wanted);
  }
}

TEST_CASE("stages: a GPU or NIC that is slow by itself is named, and nobody else") {
  Cluster cluster(8);
  cluster.loopback.assign(8, 1);
  cluster.copies.assign(8, 1);
  cluster.loopback[2] = 0.6;
  cluster.copies[5] = 0.5;
  const validation::Validation found = validate_it(cluster);
  std::vector<std::string> blamed;
  for (const validation::Diagnosis& diagnosis : found.diagnoses)
    if (diagnosis.faulty) blamed.push_back(diagnosis.from + " " + std::string(validation::word_of(diagnosis.blame)));
  std::sort(blamed.begin(), blamed.end());
  CHECK(blamed == std::vector<std::string>{"n2:mlx5_0:1 nic", "n5:numa0 -> cuda:1 pcie"});
  CHECK(std::none_of(found.unread.begin(), found.unread.end(), [](const auto& each) { return each.reason == "there is none"; }));
}

TEST_CASE("stages: what a host does not have is said to be unread, once for all hosts") {
  Cluster cluster(4);
  const validation::Validation found = validate_it(cluster);
  for (const char* const what : {"copies", "loopback"}) {
    INFO(what);
    const auto its = std::find_if(found.unread.begin(), found.unread.end(), [&](const auto& each) { return each.name == what; });
    REQUIRE(its != found.unread.end());
    CHECK(its->hosts.size() == 4);
  }
}

TEST_CASE("stages: a slow rail is its cable where the NIC is as fast with itself as others, and the NIC where it is not") {
  for (const double loopback : {1.0, 0.7}) {
    INFO(loopback);
    Cluster cluster(8);
    cluster.loopback.assign(8, 1);
    cluster.loopback[3] = loopback;
    cluster.send[3] = cluster.receive[3] = 0.7;
    ValidationOptions options = relative();
    options.ports = {"mlx5_0:1"};
    const validation::Validation found = validate_it(cluster, options);
    std::vector<std::string> blames;
    for (const validation::Diagnosis& diagnosis : found.diagnoses)
      if (diagnosis.faulty) blames.push_back(diagnosis.from + " " + std::string(validation::word_of(diagnosis.blame)));
    CHECK(blames == std::vector<std::string>{loopback < 1 ? "n3:mlx5_0:1 nic" : "n3:mlx5_0:1 cable/port"});
  }
}

TEST_CASE("stages: who cannot be reached, is gone, or cannot take part is named", "[long]") {
  for (const std::size_t hosts : few_or_more()) {
    INFO(hosts);
    Cluster cut(hosts), dead(hosts), dies(hosts), unfit(hosts);
    cut.cut[2] = true;
    const validation::Validation found = validate_it(cut);
    CHECK(faulty(found) == std::vector<std::string>{"n2 reach"});
    CHECK(found.outcome == validation::Outcome::failed);
    dead.dead[1] = true;
    CHECK(faulty(validate_it(dead)) == std::vector<std::string>{"n1 presence"});
    dies.dies = 3;
    dies.dies_in = 6;
    const validation::Validation without = validate_it(dies);
    CHECK(faulty(without) == std::vector<std::string>{"n3 presence"});
    CHECK(without.hosts[3].state == HostState::lost);
    CHECK(without.hosts[0].state == HostState::good);
    unfit.unfit = "the transport ucx has no device eth0";
    CHECK(faulty(validate_it(unfit)) == std::vector<std::string>{"n0 setting"});
  }
}

TEST_CASE("stages: two faults at once are both named") {
  Cluster cluster(8);
  cluster.cut[6] = true;
  cluster.send[1] = 0.9;
  std::vector<std::string> named = faulty(validate_it(cluster));
  std::sort(named.begin(), named.end());
  CHECK(named == std::vector<std::string>{"n1 bandwidth", "n6 reach"});
}

TEST_CASE("stages: what a journal knows is not measured again, and comes to the same") {
  const std::filesystem::path path = std::filesystem::temp_directory_path() / ("railgauge-journal-" + std::to_string(getpid()));
  Cluster first(4), second(4);
  first.send[1] = second.send[1] = 0.8;
  int carried = 0, taken = 0;
  const auto with_journal = [&](Journal& journal) {
    return [&](CarryOut inner) -> CarryOut {
      return [&, inner](const std::string& key, std::vector<Order> orders) {
        if (const auto* known = journal.find(key, orders)) return ++taken, *known;
        ++carried;
        auto answers = inner(key, std::move(orders));
        journal.add(key, answers);
        return answers;
      };
    };
  };
  {
    Journal journal(path.string(), "this");
    CHECK(faulty(validate_it(first, {}, with_journal(journal))) == std::vector<std::string>{"n1 bandwidth"});
  }
  const int all = carried;
  {
    std::ofstream(path, std::ios::app) << "{\"key\": \"cut o";  // in the middle of a line
    Journal journal(path.string(), "this");
    CHECK(faulty(validate_it(second, {}, with_journal(journal))) == std::vector<std::string>{"n1 bandwidth"});
  }
  CHECK(carried == all);
  CHECK(taken == all);
  CHECK_THROWS_AS(Journal(path.string(), "that"), Error);
  std::ofstream(path, std::ios::app) << "nonsense\n";
  CHECK_THROWS_AS(Journal(path.string(), "this"), Error);
  std::filesystem::remove(path);
}

TEST_CASE("stages: what one turn of a soak measured is not taken for the next one's by a journal") {
  Cluster cluster(4);
  std::vector<std::string> keys;
  ValidationRun run(cluster.members(), {}, [&](const std::string& key, std::vector<Order> orders) {
    keys.push_back(key);
    return cluster.carry_out(key, std::move(orders));
  });
  for (int turn = 0; turn < 2; ++turn) {
    validation::Stage told;
    run_pairs(run, told);
    run.options.seed += 1000;  // as run_soak() does
  }
  std::sort(keys.begin(), keys.end());
  CHECK(keys.size() >= 24);
  CHECK(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
}

// Hosts n0, n1, ... below leaves of three, in six pods; three spines a pod.
topo::Fabric list_of_six() {
  topo::Fabric fabric = test::fat_tree(6);
  for (topo::FabricNode& node : fabric.nodes)
    if (node.description.starts_with("node"))
      node.description = "n" + std::to_string(std::stoi(node.description.substr(4, 5)) - 1) + node.description.substr(9);
  return fabric;
}
topo::Graph fabric_of_six() { return to_graph(list_of_six()); }

validation::Validation validate_in(Cluster& cluster, const topo::Graph& graph, const ValidationOptions& options = relative()) {
  ValidationRun run(cluster.members(), options,
                    [&](const std::string& key, std::vector<Order> orders) { return cluster.carry_out(key, std::move(orders)); });
  learn_switches(run, graph, "fabric.out");
  for (auto* const stage : {run_preflight, run_pairs}) {
    validation::Stage told;
    stage(run, told);
    run.found.stages.push_back(told);
  }
  run.found.map = map_of(run.fleet, run.found, run.faulty);
  conclude(run.found, false);
  return run.found;
}
std::vector<std::string> faulty_links(const validation::Validation& found) {
  std::vector<std::string> links;
  for (const validation::MapLink& it : found.map.links)
    if (it.faulty)
      links.push_back(it.host.empty() ? found.map.switches[it.a].name + " " + it.a_port + " - " + found.map.switches[it.b].name
                                      : it.host + ":" + it.a_port + " - " + found.map.switches[it.a].name + " " + it.b_port);
  return links;
}

TEST_CASE("stages: in a fabric that is known, the leaf and its port are named beside the host, and the map has the link") {
  Cluster cluster(54);
  cluster.send[13] = 0.8;
  const validation::Validation found = validate_in(cluster, fabric_of_six());
  REQUIRE(faulty(found) == std::vector<std::string>{"n13 bandwidth"});
  const validation::Diagnosis& diagnosis = found.diagnoses.front();
  CHECK(diagnosis.from == "n13:mlx5_0/1");
  CHECK(diagnosis.to == "leaf-p02-02 port 2");
  CHECK_THAT(diagnosis.sentence, ContainsSubstring("n13:mlx5_0/1 - leaf-p02-02 port 2"));
  CHECK(found.hosts[13].rails[0].leaf == "leaf-p02-02");
  CHECK(found.hosts[13].rails[0].leaf_port == 2);
  CHECK(found.map.switches.size() == 45);
  CHECK(found.map.links.size() == 54 + 108);
  CHECK(faulty_links(found) == std::vector<std::string>{"n13:mlx5_0/1 - leaf-p02-02 2"});
  CHECK_THAT(validation::to_json(found), ContainsSubstring("leaf-p02-02 port 2"));
  CHECK_THAT(validation::to_html(found), ContainsSubstring("leaf-p02-02"));
}

TEST_CASE("stages: a leaf, and the cables above it, are told from the hosts below") {
  const auto below = [](std::size_t host) { return host / 3 == 4; };  // leaf-p02-02
  Cluster leaf(54);
  leaf.path = [&](std::size_t a, std::size_t b) { return below(a) || below(b) ? 0.8 : 1; };
  const validation::Validation of_leaf = validate_in(leaf, fabric_of_six());
  INFO(of_leaf.sentence);
  REQUIRE(faulty(of_leaf) == std::vector<std::string>{" bandwidth"});
  CHECK(of_leaf.diagnoses.front().from == "leaf-p02-02");
  CHECK(of_leaf.diagnoses.front().blame == Blame::leaf);
  CHECK(of_leaf.diagnoses.front().hosts.empty());

  Cluster up(54);
  up.path = [&](std::size_t a, std::size_t b) { return below(a) && !below(b) ? 0.8 : 1; };
  const validation::Validation of_uplinks = validate_in(up, fabric_of_six());
  INFO(of_uplinks.sentence);
  REQUIRE(faulty(of_uplinks) == std::vector<std::string>{" bandwidth"});
  CHECK(of_uplinks.diagnoses.front().from == "the uplinks of leaf-p02-02");
  CHECK(of_uplinks.diagnoses.front().direction == "up");
  CHECK(faulty_links(of_uplinks).size() == 3);

  // What a pod sends to other pods, and gets from them.
  Cluster pod(54);
  pod.path = [](std::size_t a, std::size_t b) { return a / 9 != b / 9 && (a / 9 == 2 || b / 9 == 2) ? 0.8 : 1; };
  const validation::Validation of_pod = validate_in(pod, fabric_of_six());
  INFO(of_pod.sentence);
  REQUIRE(faulty(of_pod) == std::vector<std::string>{" bandwidth"});
  CHECK(of_pod.diagnoses.front().from == "the cables above spine-p03-01 to spine-p03-03");
  CHECK(of_pod.diagnoses.front().blame == Blame::spine);
  CHECK(faulty_links(of_pod).size() == 9);
}

TEST_CASE("stages: by forwarding tables a single cable between switches is named by both of its ports") {
  std::mt19937 random(17);
  const test::Managed managed = test::manage(list_of_six(), random);
  Cluster cluster(54);
  Fleet fleet;
  for (const Member& member : cluster.members()) fleet.hosts.push_back({member.node, {}, npos, {}});
  (void)add_fabric(fleet, managed.graph);
  REQUIRE(static_cast<bool>(fleet.route));
  for (const Tier tier : {Tier::leaf, Tier::spine}) {
    // One that the routes of many pairs pass upwards.
    std::vector<std::size_t> passed(fleet.cables.size());
    std::vector<Hop> hops;
    const auto passes = [&](std::size_t from, std::size_t to, Index at) {
      hops.clear();
      fleet.route(static_cast<Index>(from), static_cast<Index>(to), 0, hops);
      return std::any_of(hops.begin(), hops.end(), [&](const Hop& hop) { return hop.cable == at && !hop.down; });
    };
    for (Index at = 0; at < fleet.cables.size(); ++at)
      for (std::size_t from = 0; from < 54 && fleet.switches[fleet.cables[at].a].tier == tier; ++from)
        for (std::size_t to = 0; to < 54; ++to) passed[at] += from != to && passes(from, to, at) ? 1 : 0;
    const auto slow = static_cast<Index>(std::max_element(passed.begin(), passed.end()) - passed.begin());
    cluster.path = [&](std::size_t a, std::size_t b) { return passes(a, b, slow) ? 0.7 : 1; };
    ValidationOptions options = relative();
    options.rounds = 24;
    const validation::Validation found = validate_in(cluster, managed.graph, options);
    const Cable& cable = fleet.cables[slow];
    INFO(found.sentence);
    REQUIRE(faulty(found) == std::vector<std::string>{" bandwidth"});
    CHECK(found.diagnoses.front().from == end_of_switch(fleet, cable.a, cable.a_port));
    CHECK(found.diagnoses.front().to == end_of_switch(fleet, cable.b, cable.b_port));
    CHECK(found.diagnoses.front().direction == "up");
    CHECK(found.diagnoses.front().blame == (tier == Tier::leaf ? Blame::leaf : Blame::spine));
    CHECK(faulty_links(found).size() == 1);
    CHECK_THAT(found.sentence, ContainsSubstring("what lies between hosts is at fault"));
  }
}

TEST_CASE("stages: nobody is faulty in a healthy fabric, and who is not in the topology is told") {
  Cluster cluster(54);
  const topo::Graph graph = fabric_of_six();
  const validation::Validation found = validate_in(cluster, graph);
  CHECK(found.outcome == validation::Outcome::passed);
  CHECK(found.unread.empty());
  CHECK(faulty_links(found).empty());

  Cluster more(56);
  const validation::Validation with_strangers = validate_in(more, graph);
  REQUIRE(with_strangers.unread.size() == 1);
  CHECK(with_strangers.unread.front().hosts == std::vector<std::string>{"n54", "n55"});
  CHECK(with_strangers.outcome == validation::Outcome::passed);
  CHECK(with_strangers.hosts[54].rails[0].leaf.empty());
}

TEST_CASE("stages: to know two leaves hides no slow host, and names none as faulty of a healthy few") {
  for (const std::size_t hosts : {4, 6, 8}) {
    const std::size_t half = hosts / 2;
    const auto last = [](std::size_t host) { return std::to_string(host - 1); };
    const topo::Graph graph =
        topo::build(topo::Evidence{{"slurm-conf", "a test",
                                    "SwitchName=leaf0 Nodes=n[0-" + last(half) + "]\nSwitchName=leaf1 Nodes=n[" +
                                        std::to_string(half) + "-" + last(hosts) + "]\nSwitchName=spine0 Switches=leaf[0-1]\n"}});
    for (const double share : {0.1, 0.5, 0.93})
      for (std::size_t host = 0; host < hosts; host += 2) {
        INFO(hosts << " hosts, n" << host << " at " << share);
        Cluster slow(hosts), sends(hosts);
        slow.send[host] = slow.receive[host] = share;
        sends.send[host] = share;
        const validation::Validation found = validate_in(slow, graph);
        std::string all;
        for (const auto& diagnosis : found.diagnoses) all += diagnosis.sentence + "\n";
        INFO(all);
        CHECK(faulty(found) == std::vector<std::string>{"n" + std::to_string(host) + " bandwidth"});
        CHECK(faulty(validate_in(sends, graph)) == std::vector<std::string>{"n" + std::to_string(host) + " bandwidth"});
      }
    Cluster healthy(hosts);
    CHECK(faulty(validate_in(healthy, graph)).empty());
  }
}

TEST_CASE("stages: hosts that the topology calls otherwise are known by their GUIDs, or the topology is refused") {
  Cluster cluster(4);
  ValidationRun run(cluster.members(), {},
                    [&](const std::string& key, std::vector<Order> orders) { return cluster.carry_out(key, std::move(orders)); });
  const topo::Graph graph = to_graph(test::fat_tree(4));  // node00001 and on
  CHECK_THROWS_WITH(
      learn_switches(run, graph, "fabric.out"),
      ContainsSubstring("fabric.out knows none of these hosts: its own are called node00001, node00002, and these n0, n1"));
  topo::Graph machine;
  machine.nodes.push_back({"n0", topo::Kind::machine, "n0", "", {}, {}});
  CHECK_THROWS_WITH(learn_switches(run, machine, "n0.xml"), ContainsSubstring("n0.xml has no switch with a host"));
  for (const topo::Node& node : graph.nodes)
    if (node.kind == topo::Kind::nic && node.parent == "node00007")
      cluster.guids[2] = node.key.substr(2, 4) + ":" + node.key.substr(6, 4) + ":" + node.key.substr(10, 4) + ":" +
                         node.key.substr(14);  // as the kernel writes it
  learn_switches(run, graph, "fabric.out");
  CHECK(run.found.hosts[2].rails[0].leaf == "leaf-p02-02");
  CHECK(run.found.hosts[2].name == "n2");
  CHECK(run.found.unread.front().hosts == std::vector<std::string>{"n0", "n1", "n3"});
}

TEST_CASE("hosts far below their peers are told from those that scatter") {
  std::vector<HostFigure> figures;
  for (Index host = 0; host < 8; ++host) figures.push_back({host, "a", 100 + static_cast<double>(host % 3)});
  figures.push_back({8, "b", 10});
  CHECK(behind_peers(figures).empty());
  figures[5].value = 80;
  const std::vector<Behind> behind = behind_peers(figures);
  REQUIRE(behind.size() == 1);
  CHECK(behind[0].host == 5);
  CHECK(behind[0].peers == 100.5);
}

}  // namespace
}  // namespace railgauge::validate
