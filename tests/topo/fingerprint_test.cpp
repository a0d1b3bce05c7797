// The fingerprint of hosts: blind to names, order and state, and not to what a host is made of.
#include "topo/fingerprint.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/test.hpp"
#include "tests/topo/graphs.hpp"
#include "tests/topo/machines.hpp"
#include "topo/merge.hpp"
#include "topo/read/build.hpp"
#include "topo/read/sources.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::test;
using topo::fingerprint_of;
using topo::Graph;
using topo::Kind;

namespace {

Graph recorded(const std::string& name) { return topo::build(topo::read_evidence(machine_file(name))); }

const std::vector<std::string> machines{"dgx1_v100",          "dgx2_v100", "dgx_a100",        "dgx_h100",   "gb200_tray",
                                        "gb300_missing_edge", "idle_gpu",  "inactive_nvlink", "pcie_cards", "gpu_node.xml"};

// The same hosts, found in another order, under other names, each part with another address and in another state.
Graph disguised(Graph graph, std::mt19937& random) {
  std::shuffle(graph.nodes.begin(), graph.nodes.end(), random);
  std::shuffle(graph.links.begin(), graph.links.end(), random);
  topo::sort_depth_first(graph);
  for (topo::Node& node : graph.nodes) {
    for (const char* name : {"host_name", "serial", "uuid", "node_guid", "kernel", "nvidia_driver", "lid", "state"})
      if (node.attributes.contains(name)) node.attributes[name] = "other" + std::to_string(random());
    if (node.attributes.contains("nvlinks_active")) node.attributes["nvlinks_active"] = std::uint64_t{1};
    node.attributes["memory_bytes"] = std::uint64_t{random()};
  }
  for (topo::Link& link : graph.links) {
    link.state = topo::LinkState::down;
    link.active = {1, 2.5};
    link.bandwidth = {};
    link.a_counters["replay"] = random();
  }
  topo::qualify(graph, "host" + std::to_string(random()));
  return graph;
}

topo::Node& first(Graph& graph, Kind kind) {
  const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const auto& node) { return node.kind == kind; });
  REQUIRE(found != graph.nodes.end());
  return *found;
}

void remove(Graph& graph, const std::string& key) {
  std::erase_if(graph.nodes, [&](const topo::Node& node) { return node.key == key; });
  std::erase_if(graph.links, [&](const topo::Link& link) { return link.a == key || link.b == key; });
}

}  // namespace

TEST_CASE("a fingerprint knows neither order nor names nor states") {
  constexpr unsigned seed = 5;
  std::mt19937 random(seed);
  for (const std::string& name : machines) {
    const Graph graph = recorded(name);
    const std::string print = fingerprint_of(graph);
    INFO(name << ", seed " << seed << "\n" << topo::to_fingerprint(graph));
    CHECK(print.size() == 16);
    CHECK(print.find_first_not_of("0123456789abcdef") == std::string::npos);
    for (int turn = 0; turn < 10; ++turn) {
      const Graph other = disguised(graph, random);
      CHECK(topo::to_fingerprint(other) == topo::to_fingerprint(graph));
    }
  }
}

TEST_CASE("no two of the recorded machines have one fingerprint") {
  std::set<std::string> prints;
  for (const std::string& name : machines) prints.insert(fingerprint_of(recorded(name)));
  CHECK(prints.size() == machines.size());
}

TEST_CASE("what a host is made of changes its fingerprint") {
  for (const char* const name : {"dgx_h100", "dgx_a100", "gb200_tray"}) {
    INFO(name);
    const Graph graph = recorded(name);
    const std::string print = fingerprint_of(graph);
    const auto differs = [&](auto change) {
      Graph other = graph;
      change(other);
      return fingerprint_of(other) != print;
    };
    CHECK(differs([](Graph& it) { first(it, Kind::gpu).attributes["pci_id"] = "10de:2335"; }));
    CHECK(differs([](Graph& it) { first(it, Kind::nic).attributes["pci_id"] = "15b3:1023"; }));
    CHECK(differs([](Graph& it) { first(it, Kind::nic).attributes["pci_subsystem"] = "15b3:0041"; }));
    CHECK(differs([](Graph& it) { first(it, Kind::package).attributes["cpu_model"] = "another"; }));
    CHECK(differs([](Graph& it) { first(it, Kind::gpu).attributes["nvlinks"] = std::uint64_t{4}; }));
    CHECK(differs([](Graph& it) { remove(it, first(it, Kind::gpu).key); }));
    CHECK(differs([](Graph& it) { remove(it, first(it, Kind::nic).key); }));
    // A GPU that hangs elsewhere.
    CHECK(differs([](Graph& it) {
      first(it, Kind::gpu).parent = first(it, Kind::pci_root).key;
      topo::sort_depth_first(it);
    }));
    CHECK_FALSE(differs([](Graph&) {}));
  }
  // What a link can do counts, and what it does now does not.
  Graph server = gpu_server(4);
  const std::string print = fingerprint_of(server);
  topo::Link& link = link_at(server, first(server, Kind::gpu).key);
  link.active = {8, 16};
  CHECK(fingerprint_of(server) == print);
  link.capable = {8, 16};
  CHECK(fingerprint_of(server) != print);
}

TEST_CASE("disks, software interfaces and virtual functions are no part of a fingerprint") {
  Graph graph = recorded("dgx_a100");
  const std::string print = fingerprint_of(graph);
  const std::string root = first(graph, Kind::pci_root).key;
  add_node(graph, "os:veth12", Kind::nic, "machine", "veth12");
  add_node(graph, "0000:99:00.1", Kind::nic, root, "Mellanox ConnectX-7 Virtual Function");
  add_node(graph, "0000:99:00.2", Kind::storage, root, "a disk");
  add_node(graph, "0000:99:00.3", Kind::display, root, "a screen");
  topo::sort_depth_first(graph);
  CHECK(fingerprint_of(graph) == print);
}

TEST_CASE("equal hosts are counted, and a run's fingerprint is that of its hosts in any order") {
  std::vector<topo::Evidence> fleet;
  for (int host = 0; host < 3; ++host) fleet.push_back(topo::read_evidence(machine_file("dgx1_v100")));
  fleet.push_back(topo::read_evidence(machine_file("dgx2_v100")));
  const Graph graph = topo::build(fleet);
  const auto hosts = topo::host_prints(graph);
  REQUIRE(hosts.size() == 2);
  CHECK(hosts[0].count + hosts[1].count == 4);
  const topo::HostPrint v100 = topo::host_prints(recorded("dgx1_v100")).at(0),
                        v100x16 = topo::host_prints(recorded("dgx2_v100")).at(0);
  std::vector<std::string> digits{v100.digits, v100x16.digits, v100.digits, v100.digits};
  CHECK(topo::digits_of_hosts(digits) == fingerprint_of(graph));
  std::rotate(digits.begin(), digits.begin() + 1, digits.end());
  CHECK(topo::digits_of_hosts(digits) == fingerprint_of(graph));
  CHECK(topo::digits_of_hosts({v100.digits, v100.digits}) != topo::digits_of_hosts({v100.digits}));
  CHECK(topo::digits_of_hosts({v100.digits, ""}).empty());
  CHECK(topo::digits_of_hosts({}).empty());
  CHECK(topo::digits_of_hosts({v100.digits}) == fingerprint_of(recorded("dgx1_v100")));
}

TEST_CASE("the text says what was hashed, equal parts once with their number") {
  const Graph graph = recorded("dgx_h100");
  const topo::HostPrint host = topo::host_prints(graph).at(0);
  CHECK(topo::digits_of(host.text) == host.digits);
  CHECK_THAT(host.text, ContainsSubstring("processor Intel(R) Xeon(R) Platinum 8480C, 56 cores, 56 threads\n"));
  CHECK_THAT(host.text, ContainsSubstring("GPU 10de:2330, 18 NVLinks"));
  CHECK_THAT(topo::to_fingerprint(graph), ContainsSubstring(host.text));
  // The published digits of FNV-1a.
  CHECK(topo::digits_of("") == "cbf29ce484222325");
  CHECK(topo::digits_of("foobar") == "85944171f73967e8");
}

TEST_CASE("any graph has a fingerprint or one sentence") {
  constexpr unsigned seed = 11;
  std::mt19937 random(seed);
  for (int turn = 0; turn < 200; ++turn) {
    INFO("seed " << seed << ", turn " << turn);
    Graph graph = any_graph(random);
    const std::string print = fingerprint_of(graph);
    if (print.empty()) {
      CHECK_THAT(sentence([&] { (void)topo::to_fingerprint(graph); }), ContainsSubstring("there is no host"));
      continue;
    }
    std::shuffle(graph.links.begin(), graph.links.end(), random);
    CHECK(fingerprint_of(graph) == print);
  }
  // A chain that is deeper than any machine.
  Graph deep;
  add_node(deep, "machine", Kind::machine, "");
  std::string above = "machine";
  for (int i = 0; i < 20'000; ++i) {
    const std::string key = "b" + std::to_string(i);
    add_node(deep, key, Kind::pci_bridge, above);
    above = key;
  }
  add_node(deep, "gpu", Kind::gpu, above, "a\nGPU");
  const std::string text = topo::to_fingerprint(deep);
  CHECK(std::count(text.begin(), text.end(), '\n') == 20'000 + 4);
}
