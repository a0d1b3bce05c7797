// Ports near the cores of a rank, dealt out.
#include "bench/session/places.hpp"

#include "bench/launch/thread_group.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using Ports = std::vector<topo::ComputePort>;
using Names = std::vector<std::string>;

namespace {

const Ports two_sockets{{"a/1", "numa0", "a"}, {"b/1", "numa0", "b"}, {"c/1", "numa1", "c"}, {"d/1", "numa1", "d"}};

std::vector<std::string> nearest_ports(const Ports& ports, const std::vector<Names>& nodes, std::size_t me) {
  std::vector<Names> near;
  for (const Names& its : nodes) near.push_back(ports_near_cores(ports, its));
  return dealt(near, me);
}

}  // namespace

TEST_CASE("ranks that are bound to a socket take its ports round-robin") {
  const std::vector<Names> nodes{{"numa0"}, {"numa1"}, {"numa0"}, {"numa1"}, {"numa0"}};
  CHECK(nearest_ports(two_sockets, nodes, 0) == Names{"a/1", "b/1"});
  CHECK(nearest_ports(two_sockets, nodes, 1) == Names{"c/1", "d/1"});
  CHECK(nearest_ports(two_sockets, nodes, 2) == Names{"b/1", "a/1"});
  CHECK(nearest_ports(two_sockets, nodes, 3) == Names{"d/1", "c/1"});
  CHECK(nearest_ports(two_sockets, nodes, 4) == Names{"a/1", "b/1"});
}

TEST_CASE("ranks that may run anywhere, or have no port near, share all") {
  const std::vector<Names> anywhere{{"numa0", "numa1"}, {"numa0", "numa1"}, {}, {"numa7"}};
  CHECK(nearest_ports(two_sockets, anywhere, 0) == Names{"a/1", "b/1", "c/1", "d/1"});
  CHECK(nearest_ports(two_sockets, anywhere, 1) == Names{"b/1", "c/1", "d/1", "a/1"});
  CHECK(nearest_ports(two_sockets, anywhere, 2) == Names{"c/1", "d/1", "a/1", "b/1"});
  CHECK(nearest_ports(two_sockets, anywhere, 3) == Names{"d/1", "a/1", "b/1", "c/1"});
}

TEST_CASE("without ports there is nothing to deal out") { CHECK(nearest_ports({}, {{"numa0"}}, 0).empty()); }

TEST_CASE("every rank of a host gets an answer, also where there is no RDMA device") {
  std::vector<Names> found(3);
  const auto errors = run_as_threads(
      3, Seconds{60}, [&](Group& group) { found[static_cast<std::size_t>(group.rank())] = ports_of_rank(group, ""); });
  for (const auto& error : errors) CHECK_FALSE(error);
  for (const Names& names : found) CHECK(names.size() == found[0].size());
}

TEST_CASE("ranks with GPUs take the ports nearest to those") {
  // Two PCIe switches on two sockets, each with two GPUs and a NIC; a third NIC hangs off the second socket's root alone.
  topo::Graph graph;
  const auto add = [&](const std::string& key, topo::Kind kind, const std::string& parent) {
    topo::Node node;
    node.key = key;
    node.kind = kind;
    node.parent = parent;
    graph.nodes.push_back(node);
    if (parent.empty()) return;
    topo::Link link;
    link.a = parent;
    link.b = key;
    link.kind = kind == topo::Kind::numa || kind == topo::Kind::pci_root ? topo::LinkKind::internal : topo::LinkKind::pcie;
    graph.links.push_back(link);
  };
  add("machine", topo::Kind::machine, "");
  Ports ports;
  for (const std::string s : {"0", "1"}) {
    add("numa" + s, topo::Kind::numa, "machine");
    add("root" + s, topo::Kind::pci_root, "numa" + s);
    add("switch" + s, topo::Kind::pci_switch, "root" + s);
    for (const std::string device : {"a", "b"}) add("gpu" + s + device, topo::Kind::gpu, "switch" + s);
    add("nic" + s, topo::Kind::nic, "switch" + s);
    ports.push_back({"mlx5_" + s + "/1", "numa" + s, "nic" + s});
  }
  add("nic2", topo::Kind::nic, "root1");
  ports.push_back({"mlx5_2/1", "numa1", "nic2"});
  const topo::Paths paths(graph);
  std::vector<Names> near;
  for (const char* gpu : {"gpu0a", "gpu0b", "gpu1a", "gpu1b"}) near.push_back(ports_near_gpu(paths, gpu, ports));
  CHECK(near == std::vector<Names>{{"mlx5_0/1"}, {"mlx5_0/1"}, {"mlx5_1/1"}, {"mlx5_1/1"}});
  CHECK(ports_near_gpu(paths, "gpu9", ports).empty());
  CHECK(ports_near_gpu(paths, "", ports).empty());
  CHECK(dealt(near, 3) == Names{"mlx5_1/1"});
  CHECK(dealt(near, 4).empty());
}
