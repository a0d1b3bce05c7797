// Slurm's topologies: hostlists, reading, writing, and trees made of cables.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/test.hpp"
#include "tests/topo/generate.hpp"
#include "tests/topo/machines.hpp"
#include "topo/hostlist.hpp"
#include "topo/merge.hpp"
#include "topo/read/build.hpp"
#include "topo/read/slurm.hpp"
#include "topo/read/sources.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

std::filesystem::path fixture(const std::string& name) {
  const std::filesystem::path path = std::filesystem::path(RAILGAUGE_FIXTURES) / name;
  if (!std::filesystem::exists(path)) skip("no fixture " + path.string());
  return path;
}

std::vector<std::string> expand(const std::string& text) {
  std::size_t room = most_names;
  return expand_hostlist(text, "h", room);
}

Graph read(const std::string& text) {
  const Reading reading{is_slurm_yaml(text) ? "slurm-yaml" : "slurm-conf", "t", text};
  return is_slurm_yaml(text) ? read_slurm_yaml(reading) : read_slurm_conf(reading);
}

std::string refusal(const std::string& text) {
  return sentence([&] { (void)read(text); });
}

// Below each group, by its kind and name: names of hosts and switches.
using Groups = std::map<std::pair<std::string, std::string>, std::set<std::string>>;
Groups groups_of(const Graph& graph) {
  std::map<std::string, const Node*> nodes;
  Groups groups;
  for (const Node& node : graph.nodes) {
    nodes[node.key] = &node;
    if (const std::string_view kind = text_of(node.attributes, "slurm"); !kind.empty()) groups[{std::string(kind), node.name}];
  }
  for (const Link& link : graph.links)
    if (link.kind == LinkKind::tree) {
      const Node& above = *nodes.at(link.b);
      groups[{std::string(text_of(above.attributes, "slurm")), above.name}].insert(nodes.at(link.a)->name);
    }
  return groups;
}

std::size_t machines(const Graph& graph) {
  return static_cast<std::size_t>(
      std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) { return node.kind == Kind::machine; }));
}

// "" when this is a forest that Slurm takes: each host below one switch, each switch below at most one; else what is wrong.
std::string no_tree(const SlurmTopology& topology) {
  std::set<std::string> names;
  std::set<std::string> below;
  for (const SlurmGroup& group : topology.groups) {
    if (!names.insert(group.name).second) return "twice: " + group.name;
    if (group.name.size() > 64) return "too long: " + group.name;
    if (group.nodes.empty() == group.children.empty()) return "neither leaf nor above leaves: " + group.name;
    for (const auto* list : {&group.nodes, &group.children})
      for (const std::string& name : *list)
        if (!below.insert(name).second) return "below two: " + name;
  }
  return "";
}

std::size_t roots(const SlurmTopology& topology) {
  std::set<std::string> below;
  for (const SlurmGroup& group : topology.groups) below.insert(group.children.begin(), group.children.end());
  return static_cast<std::size_t>(std::count_if(topology.groups.begin(), topology.groups.end(),
                                                [&](const SlurmGroup& group) { return !below.contains(group.name); }));
}

std::size_t leaves(const SlurmTopology& topology) {
  return static_cast<std::size_t>(std::count_if(topology.groups.begin(), topology.groups.end(),
                                                [](const SlurmGroup& group) { return !group.nodes.empty(); }));
}

}  // namespace

TEST_CASE("hostlists: brackets stand for names, with their zeros") {
  using Names = std::vector<std::string>;
  CHECK(expand("n1") == Names{"n1"});
  CHECK(expand("n[1-3,7],m") == Names{"n1", "n2", "n3", "n7", "m"});
  CHECK(expand("n[08-11]") == Names{"n08", "n09", "n10", "n11"});
  CHECK(expand("r[1-2]n[0-1]x") == Names{"r1n0x", "r1n1x", "r2n0x", "r2n1x"});
  CHECK(expand("").empty());
  CHECK(compress_hostlist({"n3", "n1", "n2", "n10", "n9", "m"}) == "m,n[1-3,9-10]");
  CHECK(compress_hostlist({"n098", "n099", "n100"}) == "n[098-100]");
  CHECK(compress_hostlist({"n1", "n01"}) == "n[1,01]");
  CHECK(compress_hostlist({"a-b", "n5"}) == "a-b,n5");
}

TEST_CASE("hostlists: what is compressed is what is expanded") {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    std::set<std::string> names;
    for (auto i = random() % 30; i > 0; --i) {
      std::string name(1, "ab"[random() % 2]);
      for (auto zeros = random() % 3; zeros > 0; --zeros) name += '0';
      name += std::to_string(random() % (random() % 2 == 0 ? 12 : 1200));
      if (random() % 3 == 0) name += "-x";
      names.insert(name);
    }
    const std::string text = compress_hostlist({names.begin(), names.end()});
    const std::vector<std::string> again = expand(text);
    INFO(text);
    CHECK(std::set<std::string>(again.begin(), again.end()) == names);
    CHECK(again.size() == names.size());
  }
}

TEST_CASE("hostlists: odd ones are one sentence, in no time", "[long]") {
  for (const std::string text : {"n[1-", "n[1-2", "n]1", "n[[1]]", "n[]", "n[a]", "n[2-1]", "n[1-99999999999999999999]",
                                 "n[0-999999999999999999]", "n[0-999999],m[0-999999]", "a[0-9999]b[0-9999]c[0-9999]", "n[1--2]"})
    CHECK(sentence([&] { (void)expand(text); }).starts_with("h: '"));
}

TEST_CASE("slurm: a topology is the same after it was read, written and read again, in either form") {
  const std::string conf =
      "# a comment\nSwitchName=root Switches=l[1-2] LinkSpeed=9\nswitchname=l1 NODES=n[1-3]\nSwitchName=l2 \\\n Nodes=m,n4 # x\n";
  const Graph graph = read(conf);
  CHECK(inconsistency(graph) == "");
  const Groups groups = groups_of(graph);
  CHECK(groups ==
        Groups{{{"switch", "root"}, {"l1", "l2"}}, {{"switch", "l1"}, {"n1", "n2", "n3"}}, {{"switch", "l2"}, {"m", "n4"}}});
  CHECK(to_slurm_conf(graph) ==
        "SwitchName=root Switches=l[1-2] LinkSpeed=9\nSwitchName=l1 Nodes=n[1-3]\nSwitchName=l2 Nodes=m,n4\n");
  for (const std::string& text : {conf, std::string("BlockName=b1 Nodes=n[1-4]\nBlockName=b2 Nodes=n[5-8]\nBlockSizes=4,8\n"),
                                  std::string("RingName=r Nodes=n[1-4]\n")}) {
    const Graph first = read(text);
    CHECK(groups_of(read(to_slurm_conf(first))) == groups_of(first));
    CHECK(groups_of(read(to_slurm_yaml(first))) == groups_of(first));
    CHECK(to_slurm_yaml(read(to_slurm_yaml(first))) == to_slurm_yaml(first));
  }
  CHECK(to_slurm_conf(read("BlockName=b1 Nodes=n[1-4]\nBlockSizes=4,8\n")).ends_with("BlockSizes=4,8\n"));
}

TEST_CASE("slurm: several topologies of one yaml file stand side by side") {
  const Graph graph = read(
      "---\n- topology: t1\n  cluster_default: true\n  tree:\n    switches:\n      - switch: s\n        children: a\n      - "
      "switch: a\n"
      "        nodes: n[1-2]\n- topology: t2\n  block:\n    block_sizes: [2, 4]\n    blocks:\n      - block: s\n        nodes: "
      "n[1-2]\n"
      "- topology: t3\n  flat: true\n");
  CHECK(inconsistency(graph) == "");
  CHECK(machines(graph) == 2);
  CHECK(groups_of(graph) == Groups{{{"switch", "s"}, {"a"}}, {{"switch", "a"}, {"n1", "n2"}}, {{"block", "s"}, {"n1", "n2"}}});
  CHECK_THAT(to_slurm_yaml(graph), ContainsSubstring("block_sizes: [2, 4]"));
  CHECK_THAT(to_slurm_conf(graph), ContainsSubstring("--as slurm-yaml writes both"));
}

TEST_CASE("slurm: topologies keep their names, their order, the cluster's default and the flat one") {
  const std::string text =
      "---\n- topology: plain\n  cluster_default: false\n  flat: true\n- topology: east\n  cluster_default: false\n  tree:\n"
      "    switches:\n      - switch: s\n        nodes: n[1-2]\n- topology: west\n  cluster_default: true\n  tree:\n"
      "    switches:\n      - switch: s\n        nodes: n[3-4]\n- topology: nvl\n  cluster_default: false\n  block:\n"
      "    block_sizes: [2]\n    blocks:\n      - block: b\n        nodes: n[1-4]\n";
  CHECK(to_slurm_yaml(read(text)) == text);
  const Graph graph = read(text);
  CHECK(to_slurm_yaml(read_slurm_yaml({"slurm-yaml", "t", to_slurm_yaml(graph)})) == text);
  // topology.conf holds one, without the name that every other has too.
  const std::string conf = to_slurm_conf(graph);
  CHECK_THAT(conf, ContainsSubstring("SwitchName=s Nodes=n[3-4]\n"));
  CHECK(conf.find("n[1-2]") == std::string::npos);
  CHECK_THAT(conf, ContainsSubstring("# This is the topology west; others are left out: plain, east, nvl.\n"));
  // One alone has its name too.
  const std::string alone =
      "---\n- topology: east\n  cluster_default: true\n  tree:\n    switches:\n      - switch: s\n        nodes: n[1-2]\n";
  CHECK(to_slurm_yaml(read(alone)) == alone);
  CHECK(read(alone).nodes.front().key == "switch:s");
  CHECK_THAT(refusal("- topology: x\n"), ContainsSubstring("t:1: expected `tree:`, `block:`, `ring:` or `flat: true`"));
  CHECK_THAT(refusal("- topology: x\n  cluster_default: perhaps\n  flat: true\n"),
             ContainsSubstring("t:2: expected true or false"));
}

TEST_CASE("slurm: topologies that are none are one sentence with the line") {
  CHECK_THAT(refusal("SwitchName=a Switches=b\n"), ContainsSubstring("t:1: the switch a has a switch b below it"));
  CHECK_THAT(refusal("SwitchName=a Switches=b\nSwitchName=b Switches=a\n"),
             ContainsSubstring("t:1: the switch a is above itself, through b"));
  CHECK_THAT(refusal("SwitchName=a Nodes=n\nSwitchName=a Nodes=m\n"), ContainsSubstring("t:2: the switch a is described twice"));
  CHECK_THAT(refusal("SwitchName=a Nodes=n[1-\n"), ContainsSubstring("t:1: 'n[1-' is no list of names"));
  CHECK_THAT(refusal("SwitchName=a Knots=n\n"), ContainsSubstring("found 'Knots'"));
  CHECK_THAT(refusal("BlockSizes=20\n"), ContainsSubstring("t: this describes no switch"));
  CHECK_THAT(refusal("- topology: x\n  torus3d: {}\n"), ContainsSubstring("a torus of Slurm"));
  CHECK_THAT(refusal("- topology: [x\n"), ContainsSubstring("this is no YAML"));
  CHECK_THAT(refusal("- topology: &a x\n  tree: *a\n"), ContainsSubstring("an alias"));
  CHECK_THAT(refusal("- topology: x\n  tree: [1]\n"), ContainsSubstring("t:2: expected what belongs"));
  CHECK_THAT(refusal("- topology: x\n  block: {block_sizes: [a], blocks: []}\n"), ContainsSubstring("a number of nodes"));
  CHECK(refusal("- topology: " + std::string(100000, '[') + "\n").starts_with("t:1: "));
  std::string bomb = "- topology: x\n  a: &a [x, x]\n";
  for (char c = 'b'; c < 'z'; ++c) bomb += std::string("  ") + c + ": &" + c + " [*" + char(c - 1) + ", *" + char(c - 1) + "]\n";
  CHECK_THAT(refusal(bomb), ContainsSubstring("an alias"));
}

TEST_CASE("slurm: what is cut off or damaged gives a graph or one sentence") {
  const std::string conf = "SwitchName=root Switches=l[1-2]\nSwitchName=l1 Nodes=n[1-3]\nSwitchName=l2 Nodes=m,n4\n";
  const std::string yaml = to_slurm_yaml(read(conf));
  std::mt19937 random(5);
  const std::string odd = "[]-,:{}&*#\"' =\n\t\xff|>!%@`x1";
  for (int round = 0; round < 3000; ++round) {
    std::string text = round % 2 == 0 ? conf : yaml;
    for (auto hits = 1 + random() % 3; hits > 0; --hits) {
      const std::size_t at = random() % text.size();
      if (random() % 2 == 0)
        text[at] = odd[random() % odd.size()];
      else
        text.erase(at, 1 + random() % (random() % 8 == 0 ? 200 : 5));
      if (text.empty()) text = "-";
    }
    const Reading reading{"slurm", "t", text};
    const std::string said = sentence([&] {
      const Graph graph = round % 2 == 0 ? read_slurm_conf(reading) : read_slurm_yaml(reading);
      if (const std::string wrong = inconsistency(graph); !wrong.empty()) throw std::runtime_error(wrong);
    });
    INFO("round " << round << ": " << text);
    CHECK((said == "no error" || said.starts_with("t:")));
  }
}

TEST_CASE("fixtures: Slurm's topologies have as many groups and hosts as their files") {
  struct Row {
    const char* name;
    std::size_t groups, hosts;
  };
  // grep -v '^#' | grep -cE 'SwitchName=|BlockName='; hosts of Nodes= without brackets: tr ',' '\n' | sort -u | wc -l; the others
  // have eight in each of twelve brackets.
  for (const Row& row : {Row{"azure-slurm-block_topology.txt", 4, 72}, Row{"azure-slurm-slurm_topology.txt", 6, 16},
                         Row{"slurm-topograph-dra-block.conf", 12, 96}, Row{"slurm-topograph-oci-tree.conf", 19, 96}}) {
    INFO(row.name);
    const Graph graph = build(read_evidence(fixture(row.name)));
    CHECK(inconsistency(graph) == "");
    CHECK(groups_of(graph).size() == row.groups);
    CHECK(machines(graph) == row.hosts);
    CHECK(groups_of(read(to_slurm_conf(graph))) == groups_of(graph));
    CHECK(groups_of(read(to_slurm_yaml(graph))) == groups_of(graph));
  }
  // Neighbours of switches, each below the other: nothing that Slurm takes.
  const auto circles = fixture("azure-slurm-topology.txt");
  CHECK_THAT(sentence([&] { (void)build(read_evidence(circles)); }), ContainsSubstring("is above itself, through ibsw"));
  const auto commented_out = fixture("azure-slurm-slurm_illegal_block_topology.txt");
  CHECK_THAT(sentence([&] { (void)build(read_evidence(commented_out)); }),
             ContainsSubstring("describes no switch, block or ring"));
}

TEST_CASE("slurm: cables become a tree with every host once", "[long]") {
  struct Row {
    Fabric fabric;
    std::size_t hosts, leaves, groups;
  };
  // Leaves, pods, root.
  const Row rows[] = {{fat_tree(4), 16, 8, 8 + 4 + 1},
                      {fat_tree(8), 128, 32, 32 + 8 + 1},
                      {rail_optimised(20), 20, 1, 1},
                      {rail_optimised(96), 96, 3, 3 + 1},
                      {dragonfly(5, 4, 2, 1), 40, 20, 21},
                      {torus(3, 3, 1, 2), 18, 9, 10},
                      {rail_optimised(1100), 1100, 35, 35 + 2 + 1}};
  for (const Row& row : rows) {
    const SlurmTopology topology = slurm_topology(slurm_topologies(to_graph(row.fabric)));
    CHECK(no_tree(topology) == "");
    CHECK(roots(topology) == 1);
    CHECK(leaves(topology) == row.leaves);
    CHECK(topology.groups.size() == row.groups);
    std::set<std::string> hosts;
    for (const SlurmGroup& group : topology.groups) hosts.insert(group.nodes.begin(), group.nodes.end());
    CHECK(hosts.size() == row.hosts);
    const Graph graph = to_graph(row.fabric);
    CHECK(groups_of(read(to_slurm_yaml(graph))) == groups_of(read(to_slurm_conf(graph))));
  }
  CHECK_THAT(to_slurm_conf(to_graph(fat_tree(4))), ContainsSubstring("SwitchName=leaf-p01-01 Nodes=node[00001-00002]\n"));
  CHECK_THAT(to_slurm_conf(to_graph(fat_tree(4))), ContainsSubstring("# tier3-1: 4 switches, core[0001-0004]\n"));
}

TEST_CASE("slurm: a wrong cable moves one host at most, and two fabrics share no root") {
  Fabric fabric = rail_optimised(96);
  swap_cables(fabric, "node00001 mlx5_3", 1, "node00040 mlx5_3", 1);
  unplug(fabric, "node00002 mlx5_0", 1);
  SlurmTopology topology = slurm_topology(slurm_topologies(to_graph(fabric)));
  CHECK(no_tree(topology) == "");
  CHECK(leaves(topology) == 3);
  for (const SlurmGroup& group : topology.groups)
    if (!group.nodes.empty()) CHECK(group.nodes.size() == 32);
  Graph two = to_graph(fat_tree(4));
  Fabric other = torus(3, 1, 1, 1);
  for (FabricNode& node : other.nodes) {
    node.key[3] = 'f';
    if (node.kind == FabricKind::adapter) node.description = "other" + node.description.substr(4);
  }
  merge(two, to_graph(other));
  topology = slurm_topology(slurm_topologies(two));
  CHECK(no_tree(topology) == "");
  CHECK(roots(topology) == 2);
  // Hosts that are on both stand in the larger one only.
  Graph both = to_graph(fat_tree(4));
  for (FabricNode& node : other.nodes)
    if (node.kind == FabricKind::adapter) node.description = "node" + node.description.substr(5, 5) + " mlx5_1";
  merge(both, to_graph(other));
  topology = slurm_topology(slurm_topologies(both));
  CHECK(no_tree(topology) == "");
  CHECK(roots(topology) == 1);
  CHECK(leaves(topology) == 8);
}

TEST_CASE("slurm: racks that hold machines are blocks") {
  Graph graph = to_graph(rail_optimised(40));
  for (const std::string name : {"rack1", "rack2"}) {
    Node rack;
    rack.key = rack.name = name;
    rack.kind = Kind::rack;
    rack.provenance = {"test"};
    graph.nodes.push_back(rack);
  }
  for (Node& node : graph.nodes)
    if (node.kind == Kind::machine) node.parent = node.name <= "node00018" ? "rack1" : "rack2";
  sort_depth_first(graph);
  const Groups groups = groups_of(read(to_slurm_yaml(graph)));
  CHECK(groups.at({"block", "rack1"}).size() == 18);
  CHECK(groups.at({"block", "rack2"}).size() == 22);
  CHECK_THAT(to_slurm_yaml(graph), ContainsSubstring("block_sizes: [18]"));
  CHECK_THAT(sentence([] { (void)to_slurm_conf(Graph()); }), ContainsSubstring("switches or racks"));
}
