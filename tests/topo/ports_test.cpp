// The ports that ranks should send by.
#include "topo/ports.hpp"
#include "topo/read/sources.hpp"

#include <algorithm>

#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "topo/read/build.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

// A machine's NICs as the kernel tells of them: one port that is up, one that is down, and an Ethernet port for people.
const char* const kernel_says =
    "railgauge verbs 1\n"
    "device mlx5_0\npci 0000:1a:00.0\nnode_guid a088:c203:00ab:0000\nport 1\nlink_layer InfiniBand\nstate 4: ACTIVE\nphys_state "
    "5: LinkUp\n"
    "rate 400 Gb/sec (4X NDR)\n"
    "port 2\nlink_layer InfiniBand\nstate 1: DOWN\nphys_state 2: Polling\nrate 10 Gb/sec (4X SDR)\n"
    "device mlx5_1\npci 0000:3c:00.0\nnode_guid a088:c203:00ab:0001\nport 1\nlink_layer InfiniBand\nstate 4: ACTIVE\nphys_state "
    "5: LinkUp\n"
    "rate 400 Gb/sec (4X NDR)\n";

}  // namespace

TEST_CASE("active ports of compute NICs, by the names of their devices") {
  const topo::Graph graph = topo::build({{"verbs", "v.txt", kernel_says}});
  const auto ports = topo::compute_ports(graph, "machine");
  REQUIRE(ports.size() == 2);
  CHECK(ports[0].name == "mlx5_0/1");
  CHECK(ports[1].name == "mlx5_1/1");
  CHECK(ports[0].numa.empty());  // nothing says where the cards are
  CHECK(topo::compute_ports(graph, "another").empty());
}

TEST_CASE("ports stand below their NUMA nodes, and one that is not active yet is left out") {
  const topo::Graph graph = topo::build(topo::read_evidence(machine_file("gpu_node.xml")));
  const auto machine =
      std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const topo::Node& it) { return it.kind == topo::Kind::machine; });
  REQUIRE(machine != graph.nodes.end());
  const auto ports = topo::compute_ports(graph, machine->key);
  REQUIRE(ports.size() == 1);  // mlx5_1/1 is in state init
  CHECK(ports[0].name == "mlx5_0/1");
  CHECK(ports[0].numa == "numa0");
}
