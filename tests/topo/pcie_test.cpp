// PCIe links from the kernel's files and from lspci: speeds and widths in all their spellings, which end says what, low GPUs,
// circles.
#include <algorithm>
#include <cstdio>
#include <random>
#include <string>

#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "topo/merge.hpp"
#include "topo/read/build.hpp"
#include "topo/read/pcie.hpp"
#include "topo/read/sources.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::test;
namespace fs = std::filesystem;

namespace {

struct Written {
  std::string path;  // below sys/devices
  std::string device_class, vendor;
  std::string now_speed, now_width, most_speed, most_width;
  std::string numa = "-1";
};

// Makes the kernel's files of a device below `root`.
void write(const fs::path& root, const Written& it) {
  const fs::path folder = root / "sys/devices" / it.path;
  fs::create_directories(folder);
  const auto put = [&](const char* name, const std::string& text) {
    if (!text.empty()) fill(folder / name, text + "\n");
  };
  put("class", it.device_class);
  put("vendor", it.vendor);
  put("device", "0x1234");
  put("current_link_speed", it.now_speed);
  put("current_link_width", it.now_width);
  put("max_link_speed", it.most_speed);
  put("max_link_width", it.most_width);
  put("numa_node", it.numa);
  const fs::path devices = root / "sys/bus/pci/devices";
  fs::create_directories(devices);
  fs::create_symlink(fs::path("../../../devices") / it.path, devices / folder.filename());
}

topo::Graph graph_below(const fs::path& root) {
  const topo::Taken taken = topo::collect_pcie(root);
  REQUIRE(topo::is_pcie(taken.text));
  topo::Graph graph = topo::build({{"pcie", "p.txt", taken.text}});
  REQUIRE(inconsistency(graph) == "");
  return graph;
}

const topo::Link& link_to(const topo::Graph& graph, std::string_view key) {
  const auto found = std::find_if(graph.links.begin(), graph.links.end(), [&](const topo::Link& it) { return it.b == key; });
  REQUIRE(found != graph.links.end());
  return *found;
}

const topo::Node& node(const topo::Graph& graph, std::string_view key) {
  const auto found = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const topo::Node& it) { return it.key == key; });
  REQUIRE(found != graph.nodes.end());
  return *found;
}

// A root port, a switch of two downstream ports, below them an idle GPU and a NIC that came up with half its lanes.
void write_switch(const fs::path& root) {
  const std::string port = "pci0000:15/0000:15:01.0";
  write(root, {port, "0x060400", "0x8086", "32.0 GT/s PCIe", "16", "32.0 GT/s PCIe", "16", "1"});
  write(root, {port + "/0000:16:00.0", "0x060400", "0x1000", "32.0 GT/s PCIe", "16", "32.0 GT/s PCIe", "16", "1"});
  const std::string gpu = port + "/0000:16:00.0/0000:17:00.0";
  write(root, {gpu, "0x060400", "0x1000", "2.5 GT/s PCIe", "16", "32.0 GT/s PCIe", "16", "1"});
  write(root, {gpu + "/0000:18:00.0", "0x030200", "0x10de", "2.5 GT/s PCIe", "16", "32.0 GT/s PCIe", "16", "1"});
  const std::string nic = port + "/0000:16:00.0/0000:17:01.0";
  write(root, {nic, "0x060400", "0x1000", "16.0 GT/s PCIe", "8", "32.0 GT/s PCIe", "16", "1"});
  write(root, {nic + "/0000:19:00.0", "0x020700", "0x15b3", "16.0 GT/s PCIe", "8", "16.0 GT/s PCIe", "16", "1"});
}

}  // namespace

TEST_CASE("PCIe: speeds and widths as kernels and lspci have written them") {
  for (const std::string form : {"{} GT/s", "{} GT/s PCIe", "{}GT/s", "{}GT/s (downgraded)"})
    for (const auto& [text, speed] : {std::pair{"2.5", 2.5}, std::pair{"5", 5.0}, std::pair{"5.0", 5.0}, std::pair{"8", 8.0},
                                      std::pair{"16.0", 16.0}, std::pair{"32", 32.0}, std::pair{"64.0", 64.0}}) {
      std::string whole = form;
      whole.replace(whole.find("{}"), 2, text);
      INFO(whole);
      CHECK(topo::pcie_speed(whole) == speed);
    }
  for (const char* text :
       {"", "Unknown", "Unknown speed", "-8 GT/s", "nan GT/s", "1e999 GT/s", "99999999 GT/s", "8", "8 MT/s", "0 GT/s"})
    CHECK(topo::pcie_speed(text) == 0);
  for (const unsigned width : {1U, 2U, 4U, 8U, 12U, 16U, 32U}) {
    CHECK(topo::pcie_width(std::to_string(width)) == width);
    CHECK(topo::pcie_width("x" + std::to_string(width)) == width);
  }
  for (const char* text : {"", "0", "63", "255", "x63", "-1", "many", "99999999999999999999"}) CHECK(topo::pcie_width(text) == 0);
}

TEST_CASE("PCIe: both ends of a link say what it can, and a slow link is low for a GPU alone") {
  const Scratch scratch;
  write_switch(scratch.path());
  const topo::Graph graph = graph_below(scratch.path());
  CHECK(node(graph, "pci0000:15").parent == "numa1");
  CHECK(node(graph, "0000:16:00.0").kind == topo::Kind::pci_switch);
  CHECK(node(graph, "0000:18:00.0").kind == topo::Kind::gpu);
  CHECK(node(graph, "0000:18:00.0").parent == "0000:17:00.0");

  const topo::Link up = link_to(graph, "0000:16:00.0");
  CHECK(up.a == "0000:15:01.0");
  CHECK(up.state == topo::LinkState::active);
  CHECK(up.active.width == 16);
  CHECK(up.active.speed == 32);
  CHECK_THAT(up.bandwidth.line, WithinAbs(64, 1e-9));
  CHECK_THAT(up.bandwidth.nominal, WithinAbs(63.0, 0.02));
  CHECK(up.bandwidth.usable < up.bandwidth.nominal);
  CHECK(up.bandwidth.usable > 0.8 * up.bandwidth.nominal);

  const topo::Link gpu = link_to(graph, "0000:18:00.0");
  CHECK(gpu.state == topo::LinkState::low);
  CHECK(gpu.capable.speed == 32);
  CHECK(gpu.active.speed == 2.5);
  CHECK_THAT(gpu.bandwidth.nominal, WithinAbs(4, 1e-9));

  const topo::Link nic = link_to(graph, "0000:19:00.0");
  CHECK(nic.state == topo::LinkState::active);
  CHECK(nic.capable.speed == 16);  // the port could do 32
  CHECK(nic.capable.width == 16);
  CHECK(nic.active.width == 8);
  CHECK(topo::text_of(nic.attributes, "a_capable") == "32 GT/s x16");
  CHECK(topo::text_of(nic.attributes, "b_capable") == "16 GT/s x16");

  for (const std::string inside : {"0000:15:01.0", "0000:17:00.0", "0000:17:01.0"}) {
    INFO(inside);
    CHECK(link_to(graph, inside).active.width == 0);
    CHECK(link_to(graph, inside).state == topo::LinkState::unknown);
  }
}

TEST_CASE("PCIe: widths of nobody, devices in the processor and virtual functions") {
  const Scratch scratch;
  const fs::path& root = scratch.path();
  write(root, {"pci10000:e0/10000:e0:01.0", "0x060400", "0x8086", "8 GT/s", "8", "8 GT/s", "8", "-1"});
  const std::string below = "pci10000:e0/10000:e0:01.0/";
  write(root, {below + "10000:e1:00.0", "0x020000", "0x15b3", "8 GT/s", "8", "16 GT/s", "16", "-1"});
  write(root, {below + "10000:e1:00.1", "0x020000", "0x15b3", "Unknown", "0", "Unknown", "0", "-1"});
  fs::create_symlink("../10000:e1:00.0", root / "sys/devices" / below / "10000:e1:00.1/physfn");
  write(root, {"pci0000:00/0000:00:02.0", "0x030000", "0x8086", "", "", "", "", "0"});
  write(root, {"pci0000:00/0000:00:03.0", "0x010802", "0x144d", "Unknown", "63", "8 GT/s", "255", "0"});
  const topo::Graph graph = graph_below(root);
  const topo::Link physical = link_to(graph, "10000:e1:00.0");
  const topo::Link virtual_function = link_to(graph, "10000:e1:00.1");
  CHECK(physical.active.width == 8);
  CHECK(virtual_function.active.width == 8);
  CHECK(virtual_function.capable.speed == physical.capable.speed);
  CHECK(topo::text_of(node(graph, "10000:e1:00.1").attributes, "physical_function") == "10000:e1:00.0");
  CHECK(node(graph, "10000:e0:01.0").parent == "pci10000:e0");
  CHECK(node(graph, "pci10000:e0").parent == "machine");
  CHECK(link_to(graph, "0000:00:02.0").state == topo::LinkState::unknown);
  CHECK(link_to(graph, "0000:00:03.0").capable.width == 0);
  CHECK(topo::collect_pcie(root / "sys").text.empty());
  CHECK_THAT(topo::collect_pcie(root / "sys").reason, ContainsSubstring("no PCI device"));
}

TEST_CASE("PCIe: the configuration tells what a bridge is") {
  const Scratch scratch;
  const fs::path& root = scratch.path();
  // A virtual machine shows the downstream port of a switch without what stands above it.
  write(root, {"pci0000:00/0000:00:01.0", "0x060400", "0x8086", "8 GT/s", "4", "8 GT/s", "4", "-1"});
  std::string config(256, '\0');
  config[0x06] = 0x10;
  config[0x34] = 0x40;
  config[0x40] = 0x01;  // power management comes first
  config[0x41] = 0x60;
  config[0x60] = 0x10;
  config[0x62] = 0x52;  // upstream port
  fill(root / "sys/devices/pci0000:00/0000:00:01.0/config", config);
  CHECK_THAT(topo::collect_pcie(root).text, ContainsSubstring("role upstream_port\n"));
  config[0x41] = 0x40;  // a circle
  fill(root / "sys/devices/pci0000:00/0000:00:01.0/config", config);
  CHECK(topo::collect_pcie(root).text.find("role") == std::string::npos);
}

TEST_CASE("PCIe: what the kernel says joins hwloc's tree") {
  topo::Graph graph = topo::build(topo::read_evidence(machine_file("gpu_node.xml")));
  const std::size_t nodes = graph.nodes.size();
  const std::size_t links = graph.links.size();
  const topo::Link before = link_to(graph, "0000:93:00.0");
  std::string text = "railgauge pcie 1\n";
  for (const topo::Node& it : graph.nodes) {
    if (!it.attributes.contains("pci_id")) continue;
    text += "device " + it.key + "\npath ";
    std::string path = it.key;
    for (std::string above = it.parent; above.find(':') != std::string::npos; above = node(graph, above).parent)
      path.insert(0, above + "/");
    text += path + "\nvendor 0x" + std::string(topo::text_of(it.attributes, "pci_id")).substr(0, 4) + "\nclass 0x" +
            std::string(topo::text_of(it.attributes, "pci_class")) +
            "00\ncurrent_link_speed 16.0 GT/s PCIe\ncurrent_link_width 16\nmax_link_speed 32.0 GT/s PCIe\nmax_link_width 16\n";
  }
  topo::merge(graph, topo::build({{"pcie", "p.txt", text}}));
  CHECK(inconsistency(graph) == "");
  CHECK(graph.nodes.size() == nodes);
  CHECK(graph.links.size() == links);
  const topo::Link after = link_to(graph, "0000:93:00.0");
  CHECK(after.a == before.a);
  CHECK(after.state == topo::LinkState::low);
  CHECK(after.provenance == topo::Provenance{"hwloc", "pcie"});
  CHECK_THAT(before.bandwidth.nominal, WithinAbs(63.0, 0.1));
  CHECK_THAT(after.bandwidth.nominal, WithinAbs(31.5, 0.1));  // of the speed that stands beside it
}

TEST_CASE("PCIe: circles, damage and cuts give a graph or one sentence") {
  const auto said = [](const std::string& text) { return sentence([&] { (void)topo::build({{"pcie", "p.txt", text}}); }); };
  CHECK(said("railgauge pcie 2\n") == "p.txt:1: 'railgauge pcie 1' was expected");
  CHECK(said("railgauge pcie 1\nclass 0x0\n") == "p.txt:2: 'device' and an address were expected before anything about one");
  CHECK(said("railgauge pcie 1\ndevice x\n") == "p.txt:2: an address was expected, such as 0000:3b:00.0");
  CHECK(said("railgauge pcie 1\n") == "p.txt:1: there is no PCI device in it");
  std::string circle = "railgauge pcie 1\n";
  constexpr unsigned around = 200;
  for (unsigned i = 0; i < around; ++i) {
    char line[128];
    std::snprintf(line, sizeof line, "device 0000:%02x:00.0\npath 0000:%02x:00.0/0000:%02x:00.0\nclass 0x060400\n", i,
                  (i + 1) % around, i);
    circle += line;
  }
  const topo::Graph graph = topo::build({{"pcie", "p.txt", circle}});
  CHECK(inconsistency(graph) == "");
  CHECK(graph.nodes.size() == around + 2);  // the machine and one root

  const Scratch scratch;
  write_switch(scratch.path());
  const std::string whole = topo::collect_pcie(scratch.path()).text;
  std::mt19937 random(99);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string cut = said(whole.substr(0, length));
    CHECK((cut == "no error" || cut.starts_with("p.txt:")));
  }
  for (int round = 0; round < 500; ++round) {
    std::string text = whole;
    for (int hits = 0; hits < 4; ++hits) text[random() % text.size()] = static_cast<char>(random());
    INFO("round " << round);
    std::string wrong;
    const std::string told = sentence([&] { wrong = inconsistency(topo::build({{"pcie", "p.txt", text}})); });
    CHECK(wrong == "");
    CHECK((told == "no error" || told.starts_with("p.txt:")));
  }
}

TEST_CASE("lspci: with and without numbers, with and without domains") {
  const std::string text =
      "0000:15:01.0 PCI bridge [0604]: Intel Corporation Device [8086:352a] (rev 04) (prog-if 00 [Normal decode])\n"
      "\tNUMA node: 1\n\tBus: primary=15, secondary=16, subordinate=1c, sec-latency=0\n"
      "\tCapabilities: [40] Express (v2) Root Port (Slot-), MSI 00\n"
      "\t\tLnkCap:\tPort #5, Speed 32GT/s, Width x16, ASPM not supported\n\t\tLnkSta:\tSpeed 16GT/s (downgraded), Width x16 "
      "(ok)\n"
      "\t\tLnkCap2: Supported Link Speeds: 2.5-32GT/s\n"
      "\n0000:16:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100 SXM5 80GB] [10de:2330] (rev a1)\n"
      "\tCapabilities: [60] Express (v2) Endpoint, MSI 00\n"
      "\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16\n\t\tLnkSta:\tSpeed 16GT/s (downgraded), Width x16 (ok)\n"
      "\tKernel driver in use: nvidia\n";
  const auto check = [&](const topo::Graph& graph) {
    CHECK(inconsistency(graph) == "");
    const topo::Node gpu = node(graph, "0000:16:00.0");
    CHECK(gpu.kind == topo::Kind::gpu);
    CHECK(gpu.parent == "0000:15:01.0");
    CHECK(topo::text_of(gpu.attributes, "driver") == "nvidia");
    CHECK(node(graph, "pci0000:15").parent == "numa1");
    const topo::Link link = link_to(graph, "0000:16:00.0");
    CHECK(link.capable.speed == 32);
    CHECK(link.active.speed == 16);
    CHECK(link.active.width == 16);
    CHECK(link.state == topo::LinkState::low);
    return gpu;
  };
  const auto read = [](const std::string& it) {
    CHECK(topo::is_lspci(it));
    return topo::build({{"lspci", "l.txt", it}});
  };
  topo::Node gpu = check(read(text));
  CHECK(gpu.name == "NVIDIA H100 SXM5 80GB");
  CHECK(topo::text_of(gpu.attributes, "pci_id") == "10de:2330");
  std::string plain = text;
  for (const std::string piece : {"0000:15", "0000:16"}) plain.erase(plain.find(piece), 5);
  for (const std::string piece : {" [0604]", " [8086:352a]", " [0302]", " [10de:2330]"})
    plain.erase(plain.find(piece), piece.size());
  gpu = check(read(plain));
  CHECK(gpu.name == "NVIDIA H100 SXM5 80GB");
  CHECK(topo::text_of(gpu.attributes, "pci_class") == "0302");
  std::string numeric = text;
  const auto replace = [&](const std::string& from, const std::string& to) {
    numeric.replace(numeric.find(from), from.size(), to);
  };
  replace("PCI bridge [0604]: Intel Corporation Device [8086:352a]", "0604: 8086:352a");
  replace("3D controller [0302]: NVIDIA Corporation GH100 [H100 SXM5 80GB] [10de:2330]", "0302: 10de:2330");
  gpu = check(read(numeric));
  CHECK(topo::text_of(gpu.attributes, "pci_id") == "10de:2330");
  for (const char* other : {"<topology>", "{}", "SwitchName=s0 Nodes=a[1-2]", "GPU0 GPU1", "vendid=0x2c9", "", "12:30 it was"})
    CHECK(!topo::is_lspci(other));
  for (std::size_t length = 0; length < text.size(); ++length) {
    const std::string cut = sentence([&] { (void)topo::build({{"lspci", "l.txt", text.substr(0, length)}}); });
    CHECK((cut == "no error" || cut.starts_with("l.txt:")));
  }
}
