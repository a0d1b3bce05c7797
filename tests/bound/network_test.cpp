// Networks of graphs: which vertices and links remain, what they carry, and what is said where something is missing.
#include "topo/network/network.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "base/error.hpp"
#include "tests/bound/wired.hpp"
#include "tests/test.hpp"
#include "tests/topo/clusters.hpp"
#include "tests/topo/graphs.hpp"

using namespace railgauge;
using namespace railgauge::test;
using topo::Graph;
using topo::Kind;
using topo::LinkKind;
using topo::Network;
using topo::network_of;

namespace {

std::string refusal(const Graph& graph, const topo::NetworkOptions& options = {}) {
  try {
    (void)network_of(graph, options);
  } catch (const Error& error) { return error.what(); }
  return "no error";
}

std::set<std::string> keys(const Graph& graph, const Network& network) {
  std::set<std::string> keys;
  for (const topo::Vertex& vertex : network.vertices) keys.insert(graph.nodes[vertex.node].key);
  return keys;
}

// Megabytes per second that leave a rank.
std::uint64_t out_of(const Network& network, std::size_t rank) {
  std::uint64_t sum = 0;
  for (const topo::Arc& arc : network.arcs)
    if (arc.from == network.ranks[rank]) sum += arc.capacity;
  return sum;
}

}  // namespace

TEST_CASE("network: each link is two arcs, one in each direction") {
  const Network it = network_of(wired(3, 0, {{0, 1, 25}, {2, 1, 12.5}}), {});
  REQUIRE(it.vertices.size() == 3);
  REQUIRE(it.arcs.size() == 4);
  CHECK(it.ranks == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(it.arcs[0].capacity == 25000);
  CHECK(it.arcs[3].capacity == 12500);
  for (std::size_t i = 0; i < it.arcs.size(); i += 2) {
    CHECK(it.arcs[i].from == it.arcs[i + 1].to);
    CHECK(it.arcs[i].to == it.arcs[i + 1].from);
    CHECK(it.arcs[i].link == it.arcs[i + 1].link);
  }
}

TEST_CASE("network: what no path between ranks can use is left out") {
  const Graph graph = wired(2, 4, {{0, 2, 10}, {2, 1, 10}, {2, 3, 10}, {3, 4, 10}, {4, 5, 10}, {5, 3, 0}});
  CHECK(keys(graph, network_of(graph, {})) == std::set<std::string>{"g0", "g1", "s0"});  // and the unknown link with it
}

TEST_CASE("network: GPUs without a rank forward nothing") {
  const Graph graph = wired(3, 0, {{0, 1, 10}, {1, 2, 10}, {2, 0, 10}});
  CHECK(network_of(graph, {2, {}}).arcs.size() == 2);
  CHECK(network_of(graph, {3, {}}).arcs.size() == 6);
}

TEST_CASE("network: links that are off carry nothing") {
  Graph graph = wired(2, 0, {{0, 1, 10}, {0, 1, 10}});
  graph.links[0].state = topo::LinkState::down;
  CHECK(network_of(graph, {}).arcs.size() == 2);
  graph.links[1].state = topo::LinkState::disabled;
  CHECK(refusal(graph) ==
        "no path from rank 0 (GPU 0 (g0)) to rank 1 (GPU 1 (g1)) is known: the graph has no links between them "
        "that are up");
}

TEST_CASE("network: the inside of a machine's processors is one vertex, PCIe links are links") {
  const Graph graph = gpu_server(4);
  const Network it = network_of(graph, {});
  CHECK(it.ranks.size() == 4);
  const std::set<std::string> found = keys(graph, it);
  CHECK(found.contains("machine"));
  CHECK(found.contains("sw0"));
  CHECK(found.contains("nvswitch"));
  CHECK(!found.contains("numa0"));
  CHECK(!found.contains("package1"));
  CHECK(!found.contains("0000:03:01.0"));  // a NIC that no cable leaves
  for (std::size_t rank = 0; rank < 4; ++rank) CHECK(out_of(it, rank) == 450000 + 63000);
}

TEST_CASE("network: what is known between packages parts them") {
  Graph graph = gpu_server(2);
  add_link(graph, "package0", "package1", LinkKind::cpu).bandwidth.nominal = 20;
  const Network it = network_of(graph, {});
  const std::set<std::string> found = keys(graph, it);
  CHECK(found.contains("package0"));
  CHECK(found.contains("package1"));
  CHECK(!found.contains("machine"));
  CHECK(std::count_if(it.arcs.begin(), it.arcs.end(), [](const topo::Arc& arc) { return arc.capacity == 20000; }) == 2);
}

TEST_CASE("network: a PCIe link that saves power counts with what both ends can") {
  Graph graph = gpu_server(2);
  for (topo::Link& link : graph.links)
    if (link.kind == LinkKind::pcie) {
      link.state = topo::LinkState::low;
      link.bandwidth = {4, 4, 4};
    }
  CHECK(out_of(network_of(graph, {}), 0) > 450000 + 60000);
}

TEST_CASE("network: of a graph without GPUs the machines are the ranks") {
  const Graph graph = rail_fabric(3, 2, 2);
  const Network it = network_of(graph, {});
  CHECK(it.ranks.size() == 3);
  CHECK(it.vertices.size() == 3 + 2 + 2);
  for (std::size_t rank = 0; rank < 3; ++rank) CHECK(out_of(it, rank) == 2 * 50000);
  CHECK(network_of(graph, {2, {}}).vertices.size() == 2 + 2 + 2);  // the third host sends nothing on
}

TEST_CASE("network: ranks stand machine by machine, and NICs that were not named carry nothing") {
  Cluster cluster;
  cluster.machines = 2;
  cluster.gpus = 4;
  cluster.link = 450;
  cluster.nics = 4;
  cluster.nic = 50;
  const Graph graph = build(cluster);
  const Network it = network_of(graph, {});
  REQUIRE(it.ranks.size() == 8);
  CHECK(graph.nodes[it.vertices[it.ranks[0]].node].key == "m0/gpu0");
  CHECK(graph.nodes[it.vertices[it.ranks[4]].node].key == "m1/gpu0");
  const auto cables = [&](const Network& network) {
    return std::count_if(network.arcs.begin(), network.arcs.end(),
                         [&](const topo::Arc& arc) { return graph.links[arc.link].kind == LinkKind::infiniband; });
  };
  CHECK(cables(it) == 2 * 8);
  CHECK(cables(network_of(graph, {0, "nic0,nic1"})) == 2 * 4);
}

TEST_CASE("network: a sentence names what is missing") {
  CHECK(refusal(wired(3, 0, {{0, 1, 10}, {1, 2, 0}})) ==
        "the bandwidth of the NVLink link from GPU 1 (g1) to GPU 2 (g2) is unknown, and traffic between ranks may cross it: "
        "`railgauge "
        "topo --save` on the machine, or nvidia-smi nvlink -s, tells it");
  CHECK(refusal(wired(2, 0, {{0, 1, 10}}), {5, {}}) == "5 ranks are asked for, and the graph has 2 GPUs");
  CHECK(refusal(Graph{}) == "there is neither a GPU nor a machine in this graph, and ranks run on one of them");
  Graph graph = wired(2, 0, {});
  CHECK_THAT(refusal(graph), ContainsSubstring("which links join these GPUs is unknown: NVLink or xGMI may join these GPUs"));
  add_link(graph, "g0", "g1", LinkKind::nvlink).state = topo::LinkState::down;
  add_link(graph, "g0", "g1", LinkKind::path);
  CHECK_THAT(refusal(graph), ContainsSubstring("the graph tells the class of the path between devices, and not its links"));
  add_link(graph, "g0", "g0", LinkKind::nvlink);
  CHECK_THAT(refusal(graph), ContainsSubstring("does not tell where these NVLinks lead"));
  Cluster apart;
  apart.machines = 2;
  apart.gpus = 2;
  apart.link = 450;
  CHECK_THAT(refusal(build(apart)), ContainsSubstring("the graph has no cables between their machines that are up"));
}
