// Sources of one machine and of several: one device is one node, whatever each of them calls it.
#include <algorithm>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "tests/test.hpp"
#include "tests/topo/graphs.hpp"
#include "tests/topo/machines.hpp"
#include "topo/identity.hpp"
#include "topo/merge.hpp"
#include "topo/notes.hpp"
#include "topo/path.hpp"
#include "topo/read/build.hpp"
#include "topo/read/sources.hpp"
#include "topo/view.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

std::size_t count(const Graph& graph, Kind kind) {
  return static_cast<std::size_t>(
      std::count_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) { return node.kind == kind; }));
}

// Four GPUs at buses 05, 06, 45 and 46 of a V100 machine, joined by two NVLinks with each other.
constexpr const char* buses[] = {"05", "06", "45", "46"};

std::string smi() {
  std::string text = "\tGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tCPU Affinity\tNUMA Affinity\n";
  for (int row = 0; row < 4; ++row) {
    text += "GPU" + std::to_string(row);
    for (int column = 0; column < 4; ++column) text += row == column ? "\t X " : "\tNV2";
    text += std::string(row < 2 ? "\tPXB" : "\tSYS") + "\t0-7\t0\n";
  }
  return text + "NIC0\tPXB\tPXB\tSYS\tSYS\t X \n\nNIC Legend:\n\n  NIC0: mlx5_0\n";
}

std::string nccl(bool eight_digits) {
  std::string text = "<system version=\"1\">\n<cpu numaid=\"0\" arch=\"x86_64\">\n";
  for (int gpu = 0; gpu < 4; ++gpu) {
    text += std::string("<pci busid=\"") + (eight_digits ? "00000000:" : "0000:") + buses[gpu] +
            ":00.0\" class=\"0x030200\" link_speed=\"8.0 GT/s PCIe\" link_width=\"16\"><gpu dev=\"" + std::to_string(gpu) +
            "\" sm=\"70\">";
    for (int other = 0; other < 4; ++other)
      if (other != gpu)
        text += std::string("<nvlink target=\"0000:") + buses[other] + ":00.0\" count=\"2\" tclass=\"0x030200\"/>";
    text += "</gpu></pci>\n";
  }
  return text +
         "<pci busid=\"0000:0A:00.0\" class=\"0x020700\" link_speed=\"8.0 GT/s PCIe\" link_width=\"16\"><nic><net "
         "name=\"mlx5_0\" "
         "dev=\"0\" speed=\"100000\" port=\"1\" guid=\"0x100000000000000\"/></nic></pci>\n</cpu>\n</system>\n";
}

// As hwloc sees it, with NVML's numbers in their order or another, or without them.
enum class Numbers { none, in_order, turned };
std::string hwloc(Numbers told, const std::string& host = "node7") {
  std::string text =
      "<topology version=\"2.0\">\n<object type=\"Machine\" os_index=\"0\" cpuset=\"0x1\" complete_cpuset=\"0x1\" "
      "allowed_cpuset=\"0x1\" nodeset=\"0x1\" complete_nodeset=\"0x1\" allowed_nodeset=\"0x1\" gp_index=\"1\">\n";
  if (!host.empty()) text += "<info name=\"HostName\" value=\"" + host + "\"/>\n";
  text +=
      "<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0x1\" complete_cpuset=\"0x1\" nodeset=\"0x1\" complete_nodeset=\"0x1\" "
      "gp_index=\"3\" local_memory=\"1\"/>\n"
      "<object type=\"Package\" os_index=\"0\" cpuset=\"0x1\" complete_cpuset=\"0x1\" nodeset=\"0x1\" complete_nodeset=\"0x1\" "
      "gp_index=\"2\"><object type=\"PU\" os_index=\"0\" cpuset=\"0x1\" complete_cpuset=\"0x1\" nodeset=\"0x1\" "
      "complete_nodeset=\"0x1\" gp_index=\"4\"/></object>\n"
      "<object type=\"Bridge\" gp_index=\"5\" bridge_type=\"0-1\" depth=\"0\" bridge_pci=\"0000:[00-ff]\">\n";
  for (int gpu = 0; gpu < 4; ++gpu) {
    const std::string bus = buses[gpu];
    text += "<object type=\"PCIDev\" gp_index=\"1" + std::to_string(gpu) + "\" pci_busid=\"0000:" + bus +
            ":00.0\" pci_type=\"0302 [10de:1db1] [10de:1212] a1\" pci_link_speed=\"15.753846\">";
    if (told != Numbers::none)
      text += "<object type=\"OSDev\" gp_index=\"2" + std::to_string(gpu) + "\" name=\"nvml" +
              std::to_string(told == Numbers::in_order ? gpu : 3 - gpu) +
              "\" subtype=\"NVML\" osdev_type=\"1\"><info name=\"GPUModel\" value=\"Tesla V100-SXM2-16GB\"/></object>";
    text += "</object>\n";
  }
  return text +
         "<object type=\"PCIDev\" gp_index=\"30\" pci_busid=\"0000:0a:00.0\" pci_type=\"0207 [15b3:1017] [15b3:0007] 00\" "
         "pci_link_speed=\"15.753846\"><object type=\"OSDev\" gp_index=\"31\" name=\"mlx5_0\" osdev_type=\"3\">"
         "<info name=\"NodeGUID\" value=\"0000:0000:0000:0001\"/><info name=\"Port1State\" value=\"4\"/></object></object>\n"
         "</object>\n</object>\n</topology>\n";
}

Evidence one(const std::string& source, const std::string& origin, const std::string& text) { return {{source, origin, text}}; }

}  // namespace

TEST_CASE("one host: hwloc's nvml1, nvidia-smi's GPU1 and NCCL's busid are one GPU, in any order of the files") {
  std::mt19937 random(5);
  for (const Numbers told : {Numbers::none, Numbers::in_order})
    for (const bool eight : {true, false})
      for (int round = 0; round < 6; ++round) {
        std::vector<Evidence> all = {one("hwloc", "a.xml", hwloc(told)), one("nccl", "b.xml", nccl(eight)),
                                     one("nvidia-smi", "c.txt", smi())};
        std::shuffle(all.begin(), all.end(), random);
        const Graph graph = build(all);
        INFO("round " << round);
        CHECK(inconsistency(graph) == "");
        CHECK(count(graph, Kind::machine) == 1);
        CHECK(count(graph, Kind::gpu) == 4);
        CHECK(count(graph, Kind::nic) == 1);
        CHECK(count(graph, Kind::port) == 1);
        CHECK(text_of(graph.nodes.front().attributes, "host_name") == "node7");
        for (const Node& node : graph.nodes)
          if (node.kind == Kind::gpu) {
            CHECK(node.key.starts_with("0000:"));
            CHECK(node.provenance == Provenance{"hwloc", "nccl", "nvidia-smi"});
          }
        unsigned links = 0;
        for (const Link& link : graph.links) links += link.kind == LinkKind::nvlink ? link.count : 0;
        CHECK(links == 12);
        CHECK(Paths(graph).between("0000:05:00.0", "0000:46:00.0").count == 2);
        // As from a folder, which holds them in the order of the sources.
        CHECK(to_json(graph) ==
              to_json(build(
                  Evidence{{"hwloc", "a.xml", hwloc(told)}, {"nccl", "b.xml", nccl(eight)}, {"nvidia-smi", "c.txt", smi()}})));
      }
}

TEST_CASE("one host: NVML's own numbers count, whatever the order of the addresses") {
  const Graph graph = build({one("hwloc", "a.xml", hwloc(Numbers::turned)), one("nvidia-smi", "c.txt", smi())});
  CHECK(count(graph, Kind::gpu) == 4);
  CHECK(number_of(node_at(const_cast<Graph&>(graph), "0000:46:00.0").attributes, "index") == 0);
  // Two addresses are two devices, whatever number both are given.
  std::string other = nccl(false);
  for (std::size_t at = other.find("0000:46"); at != std::string::npos; at = other.find("0000:46"))
    other.replace(at, 7, "0000:47");
  CHECK(count(build(Evidence{{"hwloc", "a", hwloc(Numbers::in_order)}, {"nccl", "b", other}}), Kind::gpu) == 5);
}

TEST_CASE("one host: a GPU that hwloc has without an address is the one that others have with it") {
  Graph into;
  add_node(into, "machine", Kind::machine, "");
  add_node(into, "numa0", Kind::numa, "machine");
  add_node(into, "os:nvml1", Kind::gpu, "numa0");
  add_node(into, "os:nvml0", Kind::gpu, "numa0");
  add_link(into, "os:nvml0", "os:nvml1", LinkKind::nvlink);
  Graph from;
  add_node(from, "machine", Kind::machine, "");
  add_node(from, "0000:07:00.0", Kind::gpu, "machine").attributes["nvml_index"] = std::uint64_t{1};
  add_node(from, "0000:06:00.0", Kind::gpu, "machine").attributes["nvml_index"] = std::uint64_t{0};
  add_link(from, "0000:07:00.0", "0000:06:00.0", LinkKind::nvlink).count = 4;
  Graph merged = into;
  merge(merged, from, MergeScope::one_host);
  CHECK(inconsistency(merged) == "");
  CHECK(count(merged, Kind::gpu) == 2);
  REQUIRE(merged.links.size() == 1);
  CHECK(merged.links[0].a == "0000:06:00.0");
  CHECK(merged.links[0].count == 4);
  // With the numbers of its ports it is the same NVLink under the keys that are new.
  from.links[0].a_port = 3;
  merge(into, from, MergeScope::one_host);
  CHECK(inconsistency(into) == "");
  CHECK(into.links.size() == 1);
}

TEST_CASE("one host: a GPU is spoken of by the number that its tool gave it, in whatever order NUMA nodes hold the GPUs") {
  const std::string matrix =
      "\tGPU0\tGPU1\tGPU2\tGPU3\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tSYS\tNODE\tSYS\t0-7\t0\n"
      "GPU1\tSYS\t X \tSYS\tNODE\t8-15\t1\nGPU2\tNODE\tSYS\t X \tSYS\t0-7\t0\nGPU3\tSYS\tNODE\tSYS\t X \t8-15\t1\n";
  std::string cards = "=== Numa Nodes ===\n";
  for (const std::string gpu : {"0", "1", "2", "3"})
    cards += "GPU[" + gpu + "] : (Topology) Numa Node: " + (gpu == "0" || gpu == "2" ? "0\n" : "1\n");
  for (const auto& [source, text, stem] : {std::tuple{"nvidia-smi", matrix, "os:nvml"}, {"rocm-smi", cards, "os:rsmi"}}) {
    const Graph graph = build(one(source, "f", text));
    const View view(graph);
    for (const std::string gpu : {"0", "1", "2", "3"}) {
      const std::size_t place = view.place(stem + gpu);
      REQUIRE(place != View::none);
      CHECK_THAT(view.spoken(place), ContainsSubstring("GPU " + gpu + " ("));
    }
  }
}

TEST_CASE("one host: NVLinks to switches are not counted again by the pairs of nvidia-smi's matrix, nor by a stand-in") {
  Graph into;
  add_node(into, "machine", Kind::machine, "");
  Graph pairs;
  add_node(pairs, "machine", Kind::machine, "");
  for (const std::string n : {"0", "1"}) {
    add_node(into, "0000:0" + n + ":00.0", Kind::gpu, "machine").attributes["nvml_index"] = std::uint64_t(n == "1");
    add_node(pairs, "os:nvml" + n, Kind::gpu, "machine");
  }
  for (const std::string n : {"8", "9"}) {
    add_node(into, "0000:0" + n + ":00.0", Kind::nvswitch, "machine");
    for (const std::string gpu : {"0", "1"})
      add_link(into, "0000:0" + gpu + ":00.0", "0000:0" + n + ":00.0", LinkKind::nvlink).count = 9;
  }
  add_node(pairs, "os:nvswitch", Kind::nvswitch, "machine");
  add_link(pairs, "os:nvml0", "os:nvml1", LinkKind::nvlink).count = 18;
  for (const std::string n : {"0", "1"}) add_link(pairs, "os:nvml" + n, "os:nvswitch", LinkKind::nvlink).count = 18;
  merge(into, pairs, MergeScope::one_host);
  CHECK(inconsistency(into) == "");
  CHECK(count(into, Kind::nvswitch) == 2);
  unsigned links = 0;
  for (const Link& link : into.links) {
    links += link.kind == LinkKind::nvlink ? link.count : 0;
    if (link.kind == LinkKind::path) CHECK(text_of(link.attributes, "path") == "NV18");
  }
  CHECK(links == 36);
  CHECK(into.links.size() == 5);
}

TEST_CASE("hosts: UUIDs that are nil or blacked out name no device") {
  for (const std::string uuid :
       {"", "N/A", "[N/A]", "[redacted]", "GPU-[redacted]", "<redacted>", "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
        "GPU-XXXXXXXX-XXXX-XXXX-XXXX-XXXXXXXXXXXX", "GPU-00000000-0000-0000-0000-000000000000",
        "00000000-0000-0000-0000-000000000000", "0", "GPU-********", "Unknown", "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "MIG-00000000-0000", "GPU-5d1cxxxx-0000-1111"}) {
    INFO(uuid);
    CHECK(!names_a_device(uuid));
  }
  for (const std::string uuid :
       {"GPU-1", "GPU-5d1c8b20-0000-1111-2222-333344445555", "b1ff74a1-0000-1000-80d1-c1a0f0e4b0a0", "GPU-f"})
    CHECK(names_a_device(uuid));
}

TEST_CASE("hosts: two hosts whose four GPUs have one UUID keep eight GPUs") {
  for (const std::string uuid : {"00000000-0000-0000-0000-000000000000", "[redacted]", "b1ff74a1-0000-1000-80d1-c1a0f0e4b0a0"}) {
    INFO(uuid);
    Graph all;
    for (const std::string host : {"n1", "n2"}) {
      Graph graph = gpu_server(4);
      for (Node& node : graph.nodes)
        if (node.kind == Kind::gpu) node.attributes["uuid"] = uuid;
      qualify(graph, host);
      merge(all, graph);
    }
    CHECK(inconsistency(all) == "");
    CHECK(count(all, Kind::gpu) == 8);
  }
  // One GPU each, with a UUID that a template gave both.
  Graph all;
  for (const std::string host : {"n1", "n2"}) {
    Graph graph = gpu_server(1);
    for (Node& node : graph.nodes)
      if (node.kind == Kind::gpu) node.attributes["uuid"] = std::string("GPU-5d1c8b20-0000-1111-2222-333344445555");
    qualify(graph, host);
    merge(all, graph);
  }
  CHECK(count(all, Kind::gpu) == 2);
}

TEST_CASE("hosts: files of two machines stay two machines") {
  const std::vector<Evidence> two = {one("hwloc", "a.xml", hwloc(Numbers::in_order, "n1")),
                                     one("hwloc", "b.xml", hwloc(Numbers::in_order, "n2"))};
  CHECK(count(build(two), Kind::machine) == 2);
  CHECK(count(build(two), Kind::gpu) == 8);
  // The same format twice is of two machines; of which of them a third file is, is unknown.
  const Graph nameless =
      build({one("nccl", "a.xml", nccl(true)), one("nccl", "b.xml", nccl(true)), one("nvidia-smi", "c.txt", smi())});
  CHECK(count(nameless, Kind::machine) == 3);
  // A machine in two files, by its name, beside another.
  const std::string json = to_json(build(one("hwloc", "a.xml", hwloc(Numbers::in_order, "n1"))));
  const Graph mixed = build({one("hwloc", "a.xml", hwloc(Numbers::in_order, "n1")), one("railgauge", "j", json),
                             one("hwloc", "b.xml", hwloc(Numbers::in_order, "n2"))});
  CHECK(count(mixed, Kind::machine) == 2);
  CHECK(count(mixed, Kind::gpu) == 8);
}

TEST_CASE("hosts: people read names, never a key with the machine in it") {
  const Graph alone = build({one("hwloc", "t-nvidia.xml", hwloc(Numbers::in_order, "")), one("nvidia-smi", "t-smi.txt", smi())});
  for (const Node& node : alone.nodes) CHECK(node.key.find("t-") == std::string::npos);
  const Graph two = build(
      {one("hwloc", "t-nvidia.xml", hwloc(Numbers::in_order, "")), one("hwloc", "t-other.xml", hwloc(Numbers::in_order, ""))});
  const View view(two);
  bool package = false;
  for (std::size_t i = 0; i < two.nodes.size(); ++i) {
    const std::string name = view.spoken(i, 1);
    INFO(name);
    for (const std::string host : {"t-nvidia", "t-other"}) CHECK(name.find(host + "/") == std::string::npos);
    for (const std::string word : {"package0", "numa0", "os:"}) CHECK(name.find(word) == std::string::npos);
    package = package || name == "port 1 of processor (package 0) of t-nvidia";
  }
  CHECK(package);
  const std::string drawn = to_text(two);
  CHECK_THAT(drawn, ContainsSubstring("Package 0: ") && !ContainsSubstring("Package package") && !ContainsSubstring("NUMA /"));
}

TEST_CASE("one host: notes of all its files stay") {
  std::string cut = smi();
  cut.pop_back();
  const std::string pcie = "railgauge pcie 1\ndevice 0000:05:00.0\nclass 0x030200\n";
  const Graph graph = build({one("pcie", "p.txt", pcie), one("nvidia-smi", "c.txt", cut)});
  CHECK(notes_of(graph).size() == 2);
}
