// topograph's models of clusters and netloc's files: written here in the shape of the real ones, read, and damaged.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/test.hpp"
#include "tests/topo/generate.hpp"
#include "tests/topo/machines.hpp"
#include "tests/topo/spoil.hpp"
#include "topo/infiniband.hpp"
#include "topo/read/build.hpp"
#include "topo/read/fabric.hpp"
#include "topo/read/netloc.hpp"
#include "topo/read/slurm.hpp"
#include "topo/read/sources.hpp"
#include "topo/read/topograph.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

Graph model(const std::string& text) { return read_topograph_model({"topograph", "m.yaml", text}); }
Graph netloc(const std::string& text) { return read_netloc({"netloc", "n.txt", text}); }

const Node& node_of(const Graph& graph, std::string_view key) {
  const auto at = std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node& it) { return it.key == key; });
  if (at == graph.nodes.end()) throw std::runtime_error("no node " + std::string(key));
  return *at;
}

std::size_t count(const Graph& graph, Kind kind) {
  return static_cast<std::size_t>(
      std::count_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node& it) { return it.kind == kind; }));
}

// "node below switch", for each link.
std::set<std::string> tree(const Graph& graph) {
  std::set<std::string> all;
  for (const Link& link : graph.links) all.insert(link.a + " below " + link.b);
  return all;
}

// One cluster, in each of the three schemas that topograph has had.
const std::string by_blocks =
    "# a picture\nswitches:\n  core:\n    labels:\n      region: north\n    switches:\n    - leaf1\n    - leaf2\nblocks:\n"
    "- switch: leaf1\n  nodes:\n  - \"n[11-12]\"\n  annotations:\n    accelerator.topology.test/domain: nvl1\n"
    "- switch: leaf2\n  nodes: [n21, n22]\n  annotations:\n    accelerator.topology.test/domain: nvl2\n";
const std::string by_names =
    "switches:\n  core:\n    metadata:\n      region: north\n    switches: [leaf1, leaf2]\n  leaf1:\n    nodes: [\"n[11-12]\"]\n"
    "  leaf2:\n    nodes:\n    - n21\n    - n22\nnodes:\n  n11:\n    attributes:\n      gpus:\n      - index: 0\n"
    "        pci_bus_id: 0000:17:00.0\n        uuid: GPU-1\n        model: H100\ncapacity_blocks:\n  cb1:\n    nodes: "
    "[\"n[11-12]\"]\n"
    "    attributes:\n      nvlink: nvl1\n  cb2:\n    nodes: [n21, n22]\n    attributes:\n      nvlink: nvl2\n";
const std::string by_lists =
    "switches:\n- name: core\n  metadata:\n    region: north\n  switches: [leaf1,leaf2]\n- name: leaf1\n  capacity_blocks: "
    "[cb1]\n"
    "- name: leaf2\n  capacity_blocks: [cb2]\ncapacity_blocks:\n- name: cb1\n  type: GB200\n  nvlink: nvl1\n  nodes: [n11,n12]\n"
    "- name: cb2\n  type: GB200\n  nvlink: nvl2\n  nodes: [n21,n22]\n";

std::string identifier(const std::string& guid) {
  const std::string digits = guid.substr(2);
  return digits.substr(0, 4) + ":" + digits.substr(4, 4) + ":" + digits.substr(8, 4) + ":" + digits.substr(12, 4);
}

// As netloc_ib_extract_dats writes it.
std::string netloc_text(const Fabric& fabric) {
  std::string text = fmt::format("1\nfe80:0000:0000:0000\n../hwloc\n{}\n", fabric.nodes.size());
  for (std::size_t i = 0; i < fabric.nodes.size(); ++i) {
    const FabricNode& it = fabric.nodes[i];
    const bool host = it.kind == FabricKind::adapter;
    text += fmt::format("{},{},{},0:1,'{}' ,{}\n", identifier(it.key), i + 1, host ? 0 : 1, it.description,
                        host ? read_description(it.description).host : "");
  }
  std::map<std::pair<std::size_t, unsigned>, std::size_t> numbers;
  for (const FabricPort& it : fabric.ports) numbers.emplace(std::pair(it.node, it.number), numbers.size());
  for (std::size_t i = 0; i < fabric.nodes.size(); ++i) {
    text += identifier(fabric.nodes[i].key);
    std::map<std::size_t, std::vector<const FabricPort*>> peers;
    for (const FabricPort& it : fabric.ports)
      if (it.node == i) peers[it.peer].push_back(&it);
    for (const auto& [peer, ports] : peers) {
      text += fmt::format(",{},{:f},0,{}", identifier(fabric.nodes[peer].key), 8.0, ports.size());
      for (const FabricPort* it : ports)
        text += fmt::format(",{},{},{},{}x,{},{:f},'{}' - '{}' ,{},0", numbers.at({it->node, it->number}), it->number,
                            it->peer_number, it->active.width, infiniband_speed(it->active.speed)->name, 8.0,
                            fabric.nodes[i].description, fabric.nodes[peer].description, numbers.at({it->peer, it->peer_number}));
    }
    text += '\n';
  }
  return text + "node,leaf\n" + identifier(fabric.nodes[0].key) + "," + identifier(fabric.nodes[1].key) + ",0,1\n";
}

std::set<std::string> cables(const Graph& graph) {
  std::set<std::string> all;
  for (const Link& link : graph.links)
    if (link.kind == LinkKind::infiniband)
      all.insert(
          fmt::format("{}[{}]-{}[{}] {}x{}", link.a, link.a_port, link.b, link.b_port, link.active.width, link.active.speed));
  return all;
}

template <class Read>
void damage(unsigned seed, const std::string& whole, const std::string& origin, const Read& read) {
  std::mt19937 random(seed);
  const std::string odd = ":-[]{},'\"\n #019ab&*\t\x7f\xff";
  for (int round = 0; round < 300; ++round) {
    const std::string text = spoilt(whole, odd, random);
    INFO("seed " << seed << ", round " << round);
    const std::string said = sentence([&] {
      const Graph graph = read(text);
      CHECK(inconsistency(graph) == "");
      CHECK(!to_json(graph).empty());
    });
    CHECK((said == "no error" || said.starts_with(origin)));
  }
}

}  // namespace

TEST_CASE("topograph: one cluster is the same in each schema that its models have had") {
  const std::set<std::string> expected = {"leaf1 below core", "leaf2 below core", "n11 below leaf1",
                                          "n12 below leaf1",  "n21 below leaf2",  "n22 below leaf2"};
  for (const std::string& text : {by_blocks, by_names, by_lists}) {
    INFO(text.substr(0, 60));
    CHECK(is_topograph_model(text));
    CHECK_FALSE(is_slurm_yaml(text));
    const Graph graph = model(text);
    CHECK(inconsistency(graph) == "");
    CHECK(tree(graph) == expected);
    CHECK(count(graph, Kind::rack) == 2);
    CHECK(node_of(graph, "n12").parent == "domain:nvl1");
    CHECK(node_of(graph, "n22").parent == "domain:nvl2");
    CHECK(list_of(node_of(graph, "core").attributes, "labels")[0] == "region=north");
    // Slurm can have it: a tree of switches, and the domains as blocks.
    const SlurmTopology slurm = slurm_topology(slurm_topologies(graph));
    CHECK(std::count_if(slurm.groups.begin(), slurm.groups.end(),
                        [](const SlurmGroup& it) { return it.kind == SlurmKind::block; }) == 2);
  }
  const Graph named = model(by_names);
  const Node& gpu = node_of(named, "n11/0000:17:00.0");
  CHECK(gpu.kind == Kind::gpu);
  CHECK(text_of(gpu.attributes, "uuid") == "GPU-1");
  const Graph listed = model(by_lists);
  CHECK(text_of(node_of(listed, "n11").attributes, "model") == "GB200");
}

TEST_CASE("topograph: parts of a domain are racks inside of it, and a block needs no switch") {
  const Graph graph = model(
      "blocks:\n- nodes: [\"a[1-3]\"]\n  annotations:\n    accelerator.topology.test/domain: d\n"
      "    accelerator.topology.test/sub-domain: rack1\n- nodes: [b1]\n");
  CHECK(node_of(graph, "a2").parent == "domain:d/rack1");
  CHECK(node_of(graph, "domain:d/rack1").parent == "domain:d");
  CHECK(node_of(graph, "b1").parent.empty());
  CHECK(graph.links.empty());
}

TEST_CASE("topograph: what is wrong is one sentence with its line", "[long]") {
  const auto said = [](const std::string& text) { return sentence([&] { (void)model(text); }); };
  CHECK(said("switches:\n  a:\n    switches: [b]\n  b:\n    switches: [a]\nblocks:\n- nodes: [n1]\n") ==
        "m.yaml:2: the switch a is above itself");
  CHECK(said("switches:\n  a:\n    switches: [b]\n  b:\n    switches: [a, c]\n  c:\nblocks:\n- nodes: [n1]\n") ==
        "m.yaml:2: the switch a is above itself");
  // A switch below the circle is not in it.
  CHECK(said("switches:\n  c:\n  a:\n    switches: [b]\n  b:\n    switches: [a, c]\nblocks:\n- nodes: [n1]\n") ==
        "m.yaml:5: the switch b is above itself");
  CHECK(said("switches:\n  a:\n    switches: [c]\n  b:\n    switches: [c]\n") ==
        "m.yaml:4: the switch c is below b here and below a on line 2");
  CHECK(said("blocks:\n- nodes: [n1]\n- nodes: [n1]\n") == "m.yaml:3: the host n1 is in this block and in that of line 2");
  CHECK(said("blocks:\n- switch: x\n  nodes: [n1]\n") == "m.yaml:2: expected a switch of this file, found x");
  CHECK(said("blocks:\n- switch: x\n") == "m.yaml:2: expected `nodes:` with at least one host");
  CHECK(said("switches:\n  a:\n    switches: b\n") == "m.yaml:3: expected a list of names after `switches:`");
  CHECK(said("switches: 7\n") == "m.yaml:1: expected a list, or names with fields, after `switches:`");
  CHECK(said("switches:\n  a:\n    switches: [b]\n") == "m.yaml:1: expected hosts, found none");
  CHECK(said("blocks:\n- nodes: [\"n[1-99999999]\"]\n").starts_with("m.yaml:2"));
  CHECK(said("blocks:\n- nodes: [\"n[1-600000]\"]\n  labels: {a: b, c: d}\n") ==
        "m.yaml:2: its hosts have more labels than the 1048576 that are read");
  CHECK(said("blocks:\n- nodes: [\"n[3-1]\"]\n").starts_with("m.yaml:2"));
  CHECK(said("switches:\n  n1:\n    switches: [b]\nblocks:\n- switch: b\n  nodes: [n1]\n") ==
        "m.yaml:2: n1 is the name of a switch and of a host");
  CHECK(said("switches:\n  a: &x\n    switches: [b]\n  c: *x\n") == "m.yaml:4: an alias (*) is not followed");
  CHECK(said("blocks:\n- nodes: [n1\n").starts_with("m.yaml:"));
  CHECK(said("blocks: " + std::string(200, '[')).starts_with("m.yaml:1: this lies deeper than"));
}

TEST_CASE("topograph: damaged and cut models give a graph or one sentence") {
  damage(3500, by_blocks, "m.yaml", model);
  damage(3501, by_names, "m.yaml", model);
  damage(3502, by_lists, "m.yaml", model);
}

TEST_CASE("topograph: fixtures have as many hosts and NVLink domains as their pictures show") {
  struct Row {
    const char* name;
    std::size_t hosts, domains;
  };
  for (const Row& row : std::vector<Row>{{"nvl72", 72, 4}, {"small-tree", 6, 2}}) {
    const auto path = std::filesystem::path(RAILGAUGE_FIXTURES) / fmt::format("topograph-model-{}.yaml", row.name);
    if (!std::filesystem::exists(path)) skip("no fixture " + path.string());
    const Evidence evidence = read_evidence(path);
    CHECK(evidence.at(0).source == "topograph");
    const Graph graph = build(evidence);
    CHECK(count(graph, Kind::machine) == row.hosts);
    CHECK(count(graph, Kind::rack) == row.domains);
  }
}

TEST_CASE("netloc: a subnet comes back from its file, with parallel links and names that hold commas") {
  for (Fabric fabric : {fat_tree(4), rail_optimised(5, 2), dragonfly(3, 2, 2, 2)}) {
    fabric.nodes[0].description = "leaf, one";
    const std::string text = netloc_text(fabric);
    CHECK(is_netloc(text));
    const Graph graph = netloc(text);
    CHECK(inconsistency(graph) == "");
    CHECK(cables(graph) == cables(to_graph(fabric)));
    CHECK(node_of(graph, fabric.nodes[0].key).name == "leaf, one");
    CHECK(count(graph, Kind::machine) == count(to_graph(fabric), Kind::machine));
  }
}

TEST_CASE("netloc: what is wrong is one sentence with its line") {
  const auto said = [](const std::string& text) { return sentence([&] { (void)netloc(text); }); };
  const std::string head = "1\nfe80::\n\n2\n";
  const std::string nodes = head + "0000:0000:0000:000a,1,1,,'leaf',\n0000:0000:0000:0010,2,0,,'n1 HCA-1',n1\n";
  CHECK(said("2\nfe80::\n\n1\n") == "n.txt:1: expected version 1 of netloc's format, found '2'");
  CHECK(said("1\nfe80::\n") == "n.txt:2: expected the folder of hwloc's files, found 'the end of the file'");
  CHECK(said("1\nfe80::\n\n99999999999999999999\n") ==
        "n.txt:4: expected a number of nodes, 1 to 1048576, found '99999999999999999999'");
  CHECK(said(head) == "n.txt:4: expected a node, found 'the end of the file'");
  CHECK(said(head + "east,1,1,,'leaf',\n") == "n.txt:5: expected a GUID as 0002:c902:0049:3108, found 'east'");
  CHECK(said(head + "0000:0000:0000:000a,1,7,,'leaf',\n") == "n.txt:5: expected 0 (host) or 1 (switch), found '7'");
  CHECK(said(nodes) == "n.txt:6: expected the links of a node, found 'the end of the file'");
  CHECK(said(nodes + "0000:0000:0000:000a,0000:0000:0000:0099,8.0,,0\n") ==
        "n.txt:7: expected a node that has a line of its own, found '0000:0000:0000:0099'");
  CHECK(said(nodes + "0000:0000:0000:000a,0000:0000:0000:0010,8.0,,1,0,900,1,4x,QDR,8.0,'' - '',1,\n") ==
        "n.txt:7: expected a port, 1 to 254, found '900'");
  CHECK(said(nodes + "0000:0000:0000:000a,0000:0000:0000:0010,8.0,,2,0,1,1,4x,QDR,8.0,'a' - 'b',1,\n") ==
        "n.txt:7: expected the number of a link, found 'the end of the line'");
  CHECK(said(nodes + "0000:0000:0000:000a,0000:0000:0000:0010,8.0,,1,0,1,1,wide,QDR,8.0,'a' - 'b',1,\n") ==
        "n.txt:7: expected a width as 4x, found 'wide'");
}

TEST_CASE("netloc: damaged and cut files give a graph or one sentence") {
  damage(3503, netloc_text(rail_optimised(3, 2)), "n.txt:", netloc);
}

TEST_CASE("topograph and netloc: files are told by their contents") {
  const Scratch scratch;
  const auto source = [&](const std::string& text) {
    fill(scratch.path() / "f", text);
    return read_evidence(scratch.path() / "f").at(0).source;
  };
  CHECK(source(by_blocks) == "topograph");
  CHECK(source(by_names) == "topograph");
  CHECK(source(by_lists) == "topograph");
  CHECK(source(netloc_text(fat_tree(2))) == "netloc");
}
