// Fabrics compared with themselves, in the shape of real ones: names without a rail, missing uplinks, oversubscription; and what
// was checked.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/test.hpp"
#include "tests/topo/generate.hpp"
#include "tests/topo/graphs.hpp"
#include "topo/check/check.hpp"
#include "topo/read/build.hpp"
#include "topo/read/sources.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

std::map<std::string, std::size_t> counts(const std::vector<Finding>& findings) {
  std::map<std::string, std::size_t> all;
  for (const Finding& it : findings) ++all[std::string(word(it.severity)) + " " + it.rule];
  return all;
}

void rename_nodes(Fabric& fabric, const std::string& from, const std::string& to) {
  for (FabricNode& node : fabric.nodes)
    if (node.description == from) node.description = to;
}

// 96 hosts with four NICs called HCA-1, -2, -5 and -6; 12 HCAs that say only their vendor's words, and a management host with two
// NICs of other names.
Fabric as_in_the_field() {
  Fabric fabric = rail_optimised(96, 4);
  for (unsigned host = 1; host <= 96; ++host)
    for (unsigned nic = 0; nic < 4; ++nic) {
      const std::string name = fmt::format("node{:05} mlx5_{}", host, nic);
      if (host >= 93 && host < 96)
        rename_nodes(fabric, name, "MT4129 ConnectX7   Mellanox Technologies");
      else if (host < 96)
        rename_nodes(fabric, name, fmt::format("node{:05} HCA-{}", host, nic < 2 ? nic + 1 : nic + 3));
    }
  unplug(fabric, "node00096 mlx5_2", 1);
  unplug(fabric, "node00096 mlx5_3", 1);
  std::erase_if(fabric.ports, [](const FabricPort& port) { return port.peer == no_node; });
  return fabric;
}

void remove_cables(Fabric& fabric, const std::string& leaf, const std::string& spine) {
  const std::size_t a = place_of(fabric, leaf), b = place_of(fabric, spine);
  std::erase_if(fabric.ports,
                [&](const FabricPort& it) { return (it.node == a && it.peer == b) || (it.node == b && it.peer == a); });
}

}  // namespace

TEST_CASE("check: HCAs without a name of a rail are one note and hide no cable on a wrong rail") {
  Fabric fabric = as_in_the_field();
  CHECK(counts(check(to_graph(fabric))) == std::map<std::string, std::size_t>{{"note rail-unknown", 1}});
  CHECK_THAT(check(to_graph(fabric)).front().found, ContainsSubstring("14 HCAs have no name of a rail: rails were not checked"));
  swap_cables(fabric, "node00040 HCA-5", 1, "node00040 HCA-6", 1);
  const std::vector<Finding> findings = check(to_graph(fabric));
  CHECK(counts(findings) == std::map<std::string, std::size_t>{{"note rail-unknown", 1}, {"warning rail", 2}});
  CHECK(findings[0].a.name == "HCA-5/1 of node00040");
  CHECK(findings[0].found == "HCA-5/1 is plugged into the rail of HCA-6/1");
}

TEST_CASE("check: each leaf that lacks a spine is named and also when several lack the same") {
  Fabric fabric = as_in_the_field();
  for (const char* leaf : {"leaf-u01-r0", "leaf-u01-r1", "leaf-u02-r3", "leaf-u03-r2"}) remove_cables(fabric, leaf, "spine07");
  remove_cables(fabric, "leaf-u01-r0", "spine09");
  std::vector<std::string> named;
  for (const Finding& it : check(to_graph(fabric)))
    if (it.rule == "uplink-missing") {
      named.push_back(it.a.name.substr(0, it.a.name.find(" (")) + " to " + it.b.name.substr(0, it.b.name.find(" (")));
      CHECK(it.severity == Severity::warning);
      CHECK(it.found == "there is no link");
    }
  std::sort(named.begin(), named.end());
  CHECK(named == std::vector<std::string>{
                     "port 39 of switch leaf-u01-r0 to switch spine07", "port 39 of switch leaf-u01-r1 to switch spine07",
                     "port 39 of switch leaf-u02-r3 to switch spine07", "port 39 of switch leaf-u03-r2 to switch spine07",
                     "port 41 of switch leaf-u01-r0 to switch spine09"});
}

TEST_CASE("check: a host that lacks a rail is named with the leaf that it should be on") {
  Fabric fabric = rail_optimised(96, 4);
  remove_cables(fabric, "node00040 mlx5_2", "leaf-u02-r2");
  const std::vector<Finding> findings = check(to_graph(fabric));
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].rule == "rail-missing");
  CHECK(findings[0].a.name == "node00040");
  CHECK_THAT(findings[0].b.name, ContainsSubstring("leaf-u02-r2"));
  CHECK(findings[0].found == "3 links, and none on the rail of mlx5_2/1");
}

TEST_CASE("check: a leaf that is missing is one finding and not one for each of its hosts") {
  Fabric fabric = rail_optimised(160, 4);
  const std::size_t leaf = place_of(fabric, "leaf-u02-r2");
  std::erase_if(fabric.ports, [&](const FabricPort& it) { return it.node == leaf || it.peer == leaf; });
  std::vector<Finding> findings = check(to_graph(fabric));
  std::erase_if(findings, [](const Finding& it) { return it.severity == Severity::note; });
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].rule == "rail-missing");
  CHECK_THAT(findings[0].a.name, ContainsSubstring("leaf-u02-r0"));
  CHECK(findings[0].found == "none of the 32 hosts of this leaf has a link on the rail of mlx5_2/1");
}

TEST_CASE("check: uplinks that lead to another switch are named with their ports") {
  Fabric fabric = two_tiers(std::vector<unsigned>(8, 4), 4);
  swap_cables(fabric, "leaf03", 34, "leaf06", 36);  // spine02 and spine04
  const std::vector<Finding> findings = check(to_graph(fabric));
  REQUIRE(counts(findings) == std::map<std::string, std::size_t>{{"warning uplink-cabling", 2}});
  CHECK_THAT(findings[0].a.name + findings[1].a.name, ContainsSubstring("port 34 of switch leaf03"));
  CHECK_THAT(findings[0].a.name + findings[1].a.name, ContainsSubstring("port 36 of switch leaf06"));
  CHECK_THAT(findings[0].found, ContainsSubstring("a cable that leads here, and none to switch spine02"));
}

TEST_CASE("check: each of several cables that lead to the wrong spine is named once") {
  // Two cables of leaf03 are plugged into spine01 instead of spine02 and spine03.
  Graph graph = to_graph(two_tiers(std::vector<unsigned>(8, 4), 5));
  const auto key = [&](const std::string& name) {
    return std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node& it) { return it.name.starts_with(name); })->key;
  };
  const std::string leaf = key("leaf03"), right = key("spine01");
  for (const auto& [wrong, port] : {std::pair{key("spine02"), 61U}, {key("spine03"), 62U}})
    for (Link& it : graph.links) {
      if (it.a == leaf && it.b == wrong) std::tie(it.b, it.b_port) = std::pair(right, port);
      if (it.b == leaf && it.a == wrong) std::tie(it.a, it.a_port) = std::pair(right, port);
    }
  std::vector<std::string> ends, expected;
  for (const Finding& it : check(graph)) {
    CHECK(it.rule == "uplink-cabling");
    ends.push_back(fmt::format("{} {}", it.a.port, it.b.port));
    expected.push_back(it.expected.substr(it.expected.find("as ")));
  }
  std::sort(ends.begin(), ends.end());
  CHECK(ends == std::vector<std::string>{"34 61", "35 62"});
  CHECK(expected == std::vector<std::string>(2, "as most of 7 similar switches have"));
}

TEST_CASE("check: oversubscription is told with its ratio, and is not where there is none") {
  struct Row {
    unsigned hosts, spines;
    const char* ratio;  // "" where nothing is told
  };
  for (const Row& row : {Row{16, 1, "16:1"}, Row{32, 8, "4:1"}, Row{12, 8, "1.5:1"}, Row{8, 8, ""}, Row{9, 8, ""}}) {
    INFO(row.hosts << " hosts, " << row.spines << " spines");
    std::vector<Finding> findings = check(to_graph(two_tiers(std::vector<unsigned>(6, row.hosts), row.spines)));
    REQUIRE(findings.size() == (*row.ratio == '\0' ? 0U : 1U));
    if (findings.empty()) continue;
    CHECK(findings[0].rule == "oversubscribed");
    CHECK(findings[0].severity == Severity::note);
    CHECK_THAT(findings[0].found, ContainsSubstring(std::string("oversubscribed ") + row.ratio));
  }
  const std::vector<Finding> uneven = check(to_graph(two_tiers({16, 16, 16, 4}, 4)));
  REQUIRE(uneven.size() == 1);
  CHECK_THAT(uneven[0].found,
             ContainsSubstring("4:1: 16 links of this switch lead down and 4 up; its 4 switches have 1:1 to 4:1"));
}

TEST_CASE("check: a NIC beside a GPU that is down is told before a spare port, and all of a machine once") {
  Graph graph = gpu_server(4);
  Node spare;
  spare.key = "0000:02:00.0";
  spare.kind = Kind::nic;
  spare.name = "Mellanox ConnectX-7";
  spare.parent = "pci0000:00";
  spare.attributes["pci_class"] = std::string("0207");
  Node port = spare;
  port.key = "spare/1";
  port.kind = Kind::port;
  port.name = "mlx5_9/1";
  port.parent = spare.key;
  port.attributes = {{"state", std::string("down")}};
  const auto root = std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& it) { return it.key == "pci0000:00"; });
  graph.nodes.insert(graph.nodes.insert(root + 1, spare) + 1, port);
  CHECK(counts(check(graph)) == std::map<std::string, std::size_t>{{"note port-spare", 1}});
  node_at(graph, guid("nic", 2) + "/1").attributes["state"] = std::string("down");
  std::vector<Finding> findings = check(graph);
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].rule == "port-down");
  CHECK(findings[0].a.key == guid("nic", 2) + "/1");
  CHECK_THAT(findings[0].expected, ContainsSubstring("beside GPU 2"));
  CHECK(findings[1].rule == "port-spare");
  for (unsigned nic = 0; nic < 4; ++nic) node_at(graph, guid("nic", nic) + "/1").attributes["state"] = std::string("down");
  findings = check(graph);
  REQUIRE(findings.size() == 2);
  CHECK(findings[0].found == "the ports of all 4 NICs beside GPUs are down");
  CHECK(findings[0].a.key == "machine");
}

TEST_CASE("check: the last line says what was checked and what was not") {
  CHECK(summary({}) == "Nothing to check.");
  Graph cards = gpu_server(2);
  std::erase_if(cards.links, [](const Link& link) { return link.kind == LinkKind::nvlink; });
  CHECK(
      summary(diagnose(cards)) ==
      "8 links, 2 GPUs, 2 NICs checked: nothing found; not checked: NVLink (nvidia-smi was not asked), the fabric (--fabric or a "
      "file of ibnetdiscover tells it).");
  for (Node& node : cards.nodes)
    if (node.kind == Kind::gpu) node.provenance = {"nvml"};
  CHECK(summary(diagnose(cards)).find("NVLink") == std::string::npos);
  // A model that never has such links, and tools that would have told of them.
  struct Row {
    const char *name, *source, *gap;  // "" where there is none
  };
  for (const Row& row : {Row{"NVIDIA L4", "hwloc", ""}, Row{"NVIDIA A40", "hwloc", "NVLink (nvidia-smi was not asked)"},
                         Row{"AMD Instinct MI210", "hwloc", "xGMI (amd-smi was not asked)"},
                         Row{"AMD Instinct MI210", "amd-smi", ""}, Row{"AMD Instinct MI210", "rocm-smi", ""}}) {
    INFO(row.name << " of " << row.source);
    for (Node& node : cards.nodes)
      if (node.kind == Kind::gpu) {
        node.name = row.name;
        node.provenance = {row.source};
        node.attributes["pci_id"] = std::string(node.name.starts_with("AMD") ? "1002:740f" : "10de:27b8");
      }
    const Coverage coverage = diagnose(cards).coverage;
    std::string gaps;
    for (const Coverage::Gap& it : coverage.not_checked)
      if (it.what == "NVLink" || it.what == "xGMI") gaps += fmt::format("{} ({})", it.what, it.reason);
    CHECK(gaps == row.gap);
  }
  for (Link& link : cards.links) link.active = link.capable = {};
  CHECK_THAT(summary(diagnose(cards)), ContainsSubstring("PCIe (no source tells width and speed of its links)"));
  const Graph fabric = to_graph(two_tiers(std::vector<unsigned>(4, 4), 4));
  CHECK(summary(diagnose(fabric)) == "32 links, 8 switches, 16 NICs checked: nothing found.");
  CHECK_THAT(to_json(diagnose(cards)), ContainsSubstring("\"not_checked\""));
}

TEST_CASE("fixtures: a fabric of 191 hosts has two cables on a wrong rail and sixteen pairs of switches that lack links") {
  const std::filesystem::path path = std::filesystem::path(RAILGAUGE_FIXTURES) / "ibnetdiscover-ndr-dgx-large.out";
  if (!std::filesystem::exists(path)) skip("no fixture " + path.string());
  const Graph graph = build(read_evidence(path));
  const std::vector<Finding> findings = check(graph);
  // By a table of the leaves' lines in the file, cut and sort and uniq -c: each of 31 leaves has two cables to each of nine
  // spines but for sixteen pairs.
  // One leaf of 32 is not in the file, and eleven hosts have three links instead of four.
  CHECK(counts(findings) ==
        std::map<std::string, std::size_t>{
            {"warning rail", 2}, {"warning rail-missing", 1}, {"warning uplink-missing", 16}, {"note rail-unknown", 1}});
  CHECK(findings[0].found == "none of the 11 hosts of this leaf has a link on the rail of HCA-5/1");
  CHECK(findings[1].rule == "rail");
  CHECK(findings[2].rule == "rail");
  CHECK_THAT(findings[1].a.name, ContainsSubstring("b08-p1-dgx-08-c01"));
  std::size_t same = 0;
  for (const Finding& it : findings)
    same += it.rule == "uplink-missing" && it.found == "there is no link" && it.b.name.starts_with("switch A10-P1-IBSPINE-04")
                ? 1U
                : 0U;
  CHECK(same == 4);
}
