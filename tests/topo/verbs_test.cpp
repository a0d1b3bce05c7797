// RDMA devices from the kernel's files: rates in all their spellings, ports that are down, words of four bytes, RoCE.
#include <algorithm>
#include <random>
#include <string>

#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "topo/merge.hpp"
#include "topo/read/build.hpp"
#include "topo/read/sources.hpp"
#include "topo/read/verbs.hpp"

using namespace railgauge;
using namespace railgauge::test;
namespace fs = std::filesystem;

namespace {

void write_port(const fs::path& device, const std::string& number, const std::string& state, const std::string& physical,
                const std::string& rate, const std::string& layer) {
  const fs::path port = device / "ports" / number;
  fs::create_directories(port / "counters");
  fs::create_directories(port / "hw_counters");
  fs::create_directories(port / "gids");
  fill(port / "state", state + "\n");
  fill(port / "phys_state", physical + "\n");
  fill(port / "rate", rate + "\n");
  fill(port / "link_layer", layer + "\n");
  fill(port / "lid", "0x1\n");
  fill(port / "sm_lid", "0x2\n");
  fill(port / "gids/0", "fe80:0000:0000:0000:a088:c203:00ab:0000\n");
  fill(port / "counters/port_xmit_data", "1000\n");
  fill(port / "counters/port_rcv_data", "18446744073709551615\n");  // too many for bytes
  fill(port / "counters/symbol_error", "7\n");
  fill(port / "counters/odd", "N/A (no PMA)\n");
  fill(port / "hw_counters/out_of_sequence", "3\n");
  fill(port / "hw_counters/lifespan", "10\n");
}

// An adapter of two ports with a PCI device, one without a GUID.
void write_adapters(const fs::path& root) {
  const fs::path devices = root / "sys/class/infiniband";
  const fs::path pci = root / "sys/devices/pci0000:15/0000:1a:00.0";
  fs::create_directories(pci / "net/ib0");
  fs::create_directories(devices / "mlx5_0");
  fs::create_directory_symlink("../../../devices/pci0000:15/0000:1a:00.0", devices / "mlx5_0/device");
  fill(devices / "mlx5_0/node_guid", "a088:c203:00ab:0000\n");
  fill(devices / "mlx5_0/fw_ver", "28.41.1000\n");
  fill(devices / "mlx5_0/hca_type", "MT4129\n");
  fill(devices / "mlx5_0/board_id", "MT_0000000838\n");
  write_port(devices / "mlx5_0", "1", "4: ACTIVE", "5: LinkUp", "400 Gb/sec (4X NDR)", "InfiniBand");
  write_port(devices / "mlx5_0", "2", "1: DOWN", "2: Polling", "400 Gb/sec (4X NDR)", "InfiniBand");
  write_port(devices / "rdmap0s6", "1", "4: ACTIVE", "5: LinkUp", "100 Gb/sec (4X EDR)", "Unspecified");
}

topo::Graph graph_below(const fs::path& root) {
  topo::Graph graph = topo::build({{"verbs", "v.txt", topo::collect_verbs(root).text}});
  REQUIRE(inconsistency(graph) == "");
  return graph;
}

const topo::Node& node(const topo::Graph& graph, std::string_view key) {
  const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const topo::Node& it) { return it.key == key; });
  REQUIRE(found != graph.nodes.end());
  return *found;
}

const topo::Link& link_to(const topo::Graph& graph, std::string_view key) {
  const auto found = std::find_if(graph.links.begin(), graph.links.end(), [&](const topo::Link& it) { return it.b == key; });
  REQUIRE(found != graph.links.end());
  return *found;
}

}  // namespace

TEST_CASE("verbs: rates as kernels have written them") {
  struct Row {
    const char* text;
    bool ethernet;
    unsigned width;
    double speed, nominal;
  };
  for (const Row& row : {Row{"2.5 Gb/sec (1X SDR)", false, 1, 2.5, 0.25}, Row{"2.5 Gb/sec (1X)", false, 1, 2.5, 0.25},
                         Row{"10 Gb/sec (4X)", false, 4, 2.5, 1}, Row{"20 Gb/sec (4X DDR)", false, 4, 5, 2},
                         Row{"40 Gb/sec (4X QDR)", false, 4, 10, 4}, Row{"40 Gb/sec (4X FDR10)", false, 4, 10.3125, 5},
                         Row{"56 Gb/sec (4X FDR)", false, 4, 14.0625, 14.0625 * 64 / 66 / 2},
                         Row{"25 Gb/sec (1X EDR)", false, 1, 25.78125, 3.125}, Row{"100 Gb/sec (2X HDR)", false, 2, 53.125, 12.5},
                         Row{"200 Gb/sec (2X NDR)", false, 2, 106.25, 25}, Row{"400 Gb/sec (4X NDR)", false, 4, 106.25, 50},
                         Row{"800 Gb/sec (4X XDR)", false, 4, 212.5, 100}, Row{"400 Gb/sec (4X NDR)", true, 4, 100, 50},
                         Row{"200 Gb/sec (2X NDR)", true, 2, 100, 25}, Row{"10 Gb/sec (1X QDR)", true, 1, 10, 1.25}}) {
    INFO(row.text);
    const topo::PortRate told = topo::port_rate(row.text, row.ethernet);
    CHECK(told.rate.width == row.width);
    CHECK_THAT(told.rate.speed, WithinAbs(row.speed, 1e-9));
    CHECK_THAT(told.bandwidth.nominal, WithinAbs(row.nominal, 1e-9));
    CHECK(told.bandwidth.line >= told.bandwidth.nominal);
    CHECK(told.bandwidth.usable < told.bandwidth.nominal);
  }
  for (const char* text : {"", "Unknown", "0 Gb/sec (4X SDR)", "-5 Gb/sec (1X)", "400", "1e300 Gb/sec (4X NDR)", "nan Gb/sec"})
    CHECK(topo::port_rate(text, false).rate.width == 0);
}

TEST_CASE("verbs: adapters, ports, states, counters in bytes") {
  const Scratch scratch;
  write_adapters(scratch.path());
  const topo::Graph graph = graph_below(scratch.path());
  const topo::Node nic = node(graph, "0000:1a:00.0");
  CHECK(nic.kind == topo::Kind::nic);
  CHECK(topo::text_of(nic.attributes, "firmware") == "28.41.1000");
  CHECK(topo::text_of(nic.attributes, "board_id") == "MT_0000000838");
  CHECK(topo::list_of(nic.attributes, "interfaces").size() == 1);
  const topo::Node port = node(graph, "0xa088c20300ab0000/1");
  CHECK(port.parent == nic.key);
  CHECK(topo::text_of(port.attributes, "state") == "active");
  CHECK(topo::text_of(port.attributes, "lid") == "0x1");
  const topo::Link link = link_to(graph, port.key);
  CHECK(link.kind == topo::LinkKind::internal);
  CHECK(link.state == topo::LinkState::active);
  CHECK(link.active.speed == 106.25);
  CHECK(link.b_counters == topo::Counters{{"out_of_sequence", 3}, {"port_xmit_data_bytes", 4000}, {"symbol_error", 7}});
  const topo::Link down = link_to(graph, "0xa088c20300ab0000/2");
  CHECK(down.state == topo::LinkState::down);
  CHECK(down.active.width == 0);  // the rate is one of before
  CHECK(down.bandwidth.nominal == 0);
  CHECK(node(graph, "os:rdmap0s6/1").parent == "os:rdmap0s6");
  CHECK(link_to(graph, "os:rdmap0s6/1").active.speed == 25);
}

TEST_CASE("verbs: hwloc's adapters are the kernel's") {
  topo::Graph graph = topo::build(topo::read_evidence(machine_file("gpu_node.xml")));
  const std::size_t nodes = graph.nodes.size();
  const std::size_t links = graph.links.size();
  const std::string text =
      "railgauge verbs 1\ndevice mlx5_1\npci 0000:95:00.0\nnode_guid a088:c203:00ab:0001\nfw_ver 28.1\nport 1\nstate 4: ACTIVE\n"
      "rate 400 Gb/sec (4X NDR)\nlink_layer InfiniBand\n";
  for (const std::string& given : {text, std::string(text).erase(text.find("pci "), 17)}) {  // the GUID is enough
    topo::merge(graph, topo::build({{"verbs", "v.txt", given}}));
    CHECK(inconsistency(graph) == "");
    CHECK(graph.nodes.size() == nodes);
    CHECK(graph.links.size() == links);
    CHECK(topo::text_of(node(graph, "0000:95:00.0").attributes, "firmware") == "28.1");
    CHECK(link_to(graph, "0xa088c20300ab0001/1").active.width == 4);
  }
}

TEST_CASE("verbs: damage and cuts give a graph or one sentence") {
  const auto said = [](const std::string& text) { return sentence([&] { (void)topo::build({{"verbs", "v.txt", text}}); }); };
  CHECK(said("railgauge verbs 1\nport 1\n") == "v.txt:2: 'device' and its name were expected before anything about one");
  CHECK(said("railgauge verbs 1\ndevice a\nport 0\n") == "v.txt:3: a port from 1 to 255 was expected");
  CHECK(said("railgauge verbs 1\ndevice\n") == "v.txt:2: 'device' and its name were expected");
  CHECK(said("railgauge verbs 1\n") == "v.txt:1: there is no RDMA device in it");
  const Scratch scratch;
  write_adapters(scratch.path());
  const std::string whole = topo::collect_verbs(scratch.path()).text;
  CHECK(topo::is_verbs(whole));
  std::mt19937 random(98);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string cut = said(whole.substr(0, length));
    CHECK((cut == "no error" || cut.starts_with("v.txt:")));
  }
  for (int round = 0; round < 500; ++round) {
    std::string text = whole;
    for (int hits = 0; hits < 4; ++hits) text[random() % text.size()] = static_cast<char>(random());
    INFO("round " << round);
    std::string wrong;
    const std::string told = sentence([&] { wrong = inconsistency(topo::build({{"verbs", "v.txt", text}})); });
    CHECK(wrong == "");
    CHECK((told == "no error" || told.starts_with("v.txt:")));
  }
}
