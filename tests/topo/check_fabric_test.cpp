// What is wrong with a fabric: links, rails and cabling.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "tests/test.hpp"
#include "tests/topo/graphs.hpp"
#include "tests/topo/machines.hpp"
#include "tests/topo/networks.hpp"
#include "topo/check/check.hpp"
#include "topo/layout/layout.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

std::vector<std::string> told(const Graph& graph, const CheckOptions& options = {}) {
  std::vector<std::string> all;
  for (const Finding& finding : check(graph, options))
    all.push_back(std::string(word(finding.severity)) + ' ' + finding.rule + ": " + finding.a.name + " to " + finding.b.name);
  return all;
}

// How many faults and warnings the table below the picture has.
std::size_t exceptions(const Graph& graph) {
  const Picture picture = lay_out(graph, diagnose(graph));
  const auto table =
      std::find_if(picture.tables.begin(), picture.tables.end(), [](const Table& it) { return it.id == "findings"; });
  REQUIRE(table != picture.tables.end());
  return static_cast<std::size_t>(
      std::count_if(table->rows.begin(), table->rows.end(), [](const auto& row) { return row.front().text != "note"; }));
}

const std::string host = "mlx5_1/1 of h2 to port 3 of switch leaf1 (0xb000000000000002)";

Link& cable(Graph& graph) { return link_at(graph, guid("nic", 2 * 4 + 1) + "/1"); }  // h2 mlx5_1

}  // namespace

TEST_CASE("check: InfiniBand links, with both ends named, and drawn as exceptions where there is more than a note") {
  struct Row {
    std::string name;
    std::function<void(Link&)> damage;
    std::vector<std::string> expected;
  };
  CHECK(told(rail_fabric(8, 4, 8)).empty());
  for (const Row& row : std::vector<Row>{
           {"1x", [](Link& it) { it.active.width = 1; }, {"fault infiniband-width: " + host}},
           {"1x, and nobody says what could be",
            [](Link& it) {
              it.active.width = 1;
              it.capable = {};
            },
            {"fault infiniband-width: " + host}},
           {"2x NDR beside 4x", [](Link& it) { it.active.width = 2; }, {"warning infiniband-width: " + host}},
           {"2x EDR is no split port",
            [](Link& it) { it.active = {2, 25.78125}; },
            {"fault infiniband-width: " + host, "fault infiniband-speed: " + host}},
           {"a split port that says so", [](Link& it) { it.active.width = it.capable.width = 2; }, {}},
           {"HDR on NDR", [](Link& it) { it.active.speed = 53.125; }, {"fault infiniband-speed: " + host}},
           {"an older NIC",
            [](Link& it) { it.active.speed = it.capable.speed = 53.125; },
            {"warning infiniband-slower: " + host}},
           {"12x could be", [](Link& it) { it.capable.width = 12; }, {"note infiniband-width: " + host}},
           {"ends disagree", [](Link& it) { it.active_at_b = {1, 106.25}; }, {"fault infiniband-ends: " + host}},
           {"the same speed in other words", [](Link& it) { it.active_at_b = {4, 106.2}; }, {}},
           {"init", [](Link& it) { it.state = LinkState::init; }, {"fault port-init: " + host}},
           {"armed", [](Link& it) { it.state = LinkState::armed; }, {"warning port-init: " + host}},
           {"down", [](Link& it) { it.state = LinkState::down; }, {"warning port-down: " + host}},
           {"errors",
            [](Link& it) { it.a_counters = {{"symbol_error", 12}, {"port_xmit_data", 99}, {"link_downed", 0}}; },
            {"note error-counters: " + host}},
           {"traffic", [](Link& it) { it.a_counters = {{"port_rcv_packets", 12}, {"port_xmit_wait", 99}}; }, {}},
       }) {
    INFO(row.name);
    Graph graph = rail_fabric(8, 4, 8);
    row.damage(cable(graph));
    CHECK(told(graph) == row.expected);
    CHECK(exceptions(graph) ==
          static_cast<std::size_t>(std::count_if(row.expected.begin(), row.expected.end(),
                                                 [](const std::string& it) { return !it.starts_with("note"); })));
  }
}

TEST_CASE("check: a fabric that is slow everywhere is a setting, and one of split ports is legitimate") {
  Graph slow = rail_fabric(8, 4, 8);
  for (Link& link : slow.links) link.active.speed = link.kind == LinkKind::infiniband ? 53.125 : 0;
  for (const Finding& finding : check(slow)) {
    CHECK(finding.rule == "infiniband-speed");
    CHECK(finding.severity == Severity::warning);
    CHECK_THAT(finding.why, ContainsSubstring("this looks like a setting"));
  }
  Graph split = rail_fabric(8, 4, 8);
  for (Link& link : split.links)
    if (link.kind == LinkKind::infiniband) link.active.width = 2;
  CHECK(check(split).size() == 64);
  for (const Finding& finding : check(split)) {
    CHECK(finding.severity == Severity::note);
    CHECK_THAT(finding.why, ContainsSubstring("NDR200"));
  }
}

TEST_CASE("check: a cable on another rail is found where there are rails") {
  Graph graph = rail_fabric(8, 4, 8);
  Link& a = link_at(graph, guid("nic", 3 * 4 + 1) + "/1");
  Link& b = link_at(graph, guid("nic", 3 * 4 + 2) + "/1");
  std::swap(a.b, b.b);
  CHECK(told(graph) == std::vector<std::string>{"warning rail: mlx5_1/1 of h3 to port 4 of switch leaf2 (0xb000000000000003)",
                                                "warning rail: mlx5_2/1 of h3 to port 4 of switch leaf1 (0xb000000000000002)"});
  CHECK(check(graph).front().found == "mlx5_1/1 is plugged into the rail of mlx5_2/1");
  // All NICs of a host in one leaf is another plan, and no fault.
  Graph plain = rail_fabric(8, 4, 8);
  for (Link& link : plain.links)
    if (link.kind == LinkKind::infiniband && link.a.ends_with("/1")) {
      const auto nic = static_cast<unsigned>(std::stoul(link.a.substr(3, 15), nullptr, 16) - 1);
      link.b = guid("leaf", nic / 4 % 4);
      link.b_port = 1 + nic / 16 * 4 + nic % 4;
    }
  CHECK(told(plain).empty());
}

TEST_CASE("check: a host that lacks a rail is compared with others of its rails") {
  Graph graph = rail_fabric(8, 4, 8);
  cable(graph).active.speed = cable(graph).capable.speed = 53.125;  // an older NIC
  std::erase_if(graph.links, [](const Link& link) { return link.a == guid("nic", 2 * 4 + 3) + "/1"; });
  CHECK(told(graph) == std::vector<std::string>{"warning infiniband-slower: " + host,
                                                "warning rail-missing: h2 to switch leaf3 (0xb000000000000004)"});
}

TEST_CASE("check: a link that a torus lacks is told once where there is a design") {
  const Graph design = torus(6, 6, 1);
  Graph graph = design;
  std::erase_if(graph.links, [](const Link& it) { return it.a == "s-2-3-0" && it.b == "s-3-3-0"; });
  CHECK(told(graph) == std::vector<std::string>{"warning uplink-missing: switch s-2-3-0 to switch s-3-3-0"});
  CheckOptions options;
  options.design = &design;
  CHECK(told(graph, options) == std::vector<std::string>{"fault cabling: switch s-2-3-0 to switch s-3-3-0"});
}

TEST_CASE("check: a cabling that differs from its design, told by keys") {
  const Graph design = rail_fabric(4, 2, 4);
  CheckOptions options;
  options.design = &design;
  CHECK(told(design, options).empty());
  Graph graph = design;
  Link& a = link_at(graph, guid("nic", 0) + "/1");
  Link& b = link_at(graph, guid("nic", 2) + "/1");
  std::swap(a.b_port, b.b_port);  // both in leaf0
  link_at(graph, guid("nic", 7) + "/1").b_port = 40;
  std::erase_if(graph.links, [](const Link& link) { return link.a == guid("nic", 5) + "/1"; });
  link_at(graph, guid("nic", 4) + "/1").active.width = 2;
  link_at(graph, guid("nic", 4) + "/1").capable.width = 2;
  CHECK(told(graph, options) ==
        std::vector<std::string>{"fault cabling: mlx5_0/1 of h0 to mlx5_0/1 of h1",
                                 "fault cabling: mlx5_1/1 of h3 to port 40 of switch leaf1 (0xb000000000000002)",
                                 "fault cabling: mlx5_1/1 of h2 to port 3 of switch leaf1 (0xb000000000000002)",
                                 "warning cabling: mlx5_0/1 of h2 to port 3 of switch leaf0 (0xb000000000000001)"});
  CHECK_THAT(check(graph, options).front().found,
             ContainsSubstring("their cables are swapped: the first is in port 2 of switch leaf0"));
}

TEST_CASE("check: a design that knows names and no GUIDs") {
  const Graph graph = rail_fabric(4, 2, 4);
  Graph design = graph;
  const auto plain = [&](const std::string& key) {
    for (const Node& node : graph.nodes)
      if (node.key == key) return node.parent.empty() ? node.name : node.parent + "-" + node.name;
    return key;
  };
  for (Node& node : design.nodes) {
    node.key = plain(node.key);
    if (!node.parent.empty()) node.parent = plain(node.parent);
    node.attributes.clear();
  }
  for (Link& link : design.links) {
    link.a = plain(link.a);
    link.b = plain(link.b);
  }
  CheckOptions options;
  options.design = &design;
  CHECK(told(graph, options).empty());
  Graph moved = graph;
  link_at(moved, guid("nic", 7) + "/1").b_port = 40;
  CHECK(told(moved, options) ==
        std::vector<std::string>{"fault cabling: mlx5_1/1 of h3 to port 40 of switch leaf1 (0xb000000000000002)"});
  Graph other;
  add_node(other, "chassis", Kind::rack, "");
  options.design = &other;
  try {
    (void)check(graph, options);
    FAIL("no error");
  } catch (const Error& error) { CHECK(error.fault() == Fault::not_comparable); }
}
