// What differs between two graphs: nothing of equal ones, one thing of one change, and the same in both directions.
#include "topo/diff/diff.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "base/error.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "tests/topo/graphs.hpp"
#include "tests/topo/machines.hpp"
#include "topo/read/build.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

void swap_cables(Graph& graph, const std::string& one, const std::string& other) {
  Link& a = link_at(graph, one);
  Link& b = link_at(graph, other);
  std::swap(a.b, b.b);
  std::swap(a.b_port, b.b_port);
}

bool empty(const Difference& it) {
  return it.count() == 0 && it.nodes_vanished.empty() && it.nodes_appeared.empty() && it.links_vanished.empty() &&
         it.links_appeared.empty();
}

}  // namespace

TEST_CASE("diff: equal graphs differ in nothing, whatever the order of their nodes and links") {
  std::mt19937 random(3);
  for (Graph graph : {gpu_server(8), rail_fabric(6, 4, 2), any_graph(random), any_graph(random)}) {
    CHECK(empty(diff(graph, graph, {true})));
    Graph other = graph;
    std::shuffle(other.links.begin(), other.links.end(), random);
    for (Link& link : other.links)  // which end is called a is chance, but of PCIe, where it is who holds whom
      if (link.kind == LinkKind::infiniband && random() % 2 == 0) {
        std::swap(link.a, link.b);
        std::swap(link.a_port, link.b_port);
      }
    if (graph.nodes.size() > 20) CHECK(empty(diff(graph, other, {true})));
  }
}

TEST_CASE("diff: two swapped cables are said as such, with both hosts and both ports") {
  const Graph before = rail_fabric(4, 2, 2);
  Graph after = before;
  swap_cables(after, guid("nic", 2) + "/1", guid("nic", 5) + "/1");  // h1 mlx5_0 on leaf0, h2 mlx5_1 on leaf1
  const Difference difference = diff(before, after);
  REQUIRE(difference.links_swapped.size() == 1);
  CHECK(difference.count() == 1);
  const LinksSwapped& swap = difference.links_swapped.front();
  CHECK(swap.first.end.name == "mlx5_0/1 of h1");
  CHECK(swap.second.end.name == "mlx5_1/1 of h2");
  CHECK(swap.first.from.name == "port 2 of switch leaf0 (0xb000000000000001)");
  CHECK(swap.first.to.name == "port 3 of switch leaf1 (0xb000000000000002)");
  CHECK(swap.first.to.key == swap.second.from.key);
  CHECK(to_text(difference) ==
        "swapped: the cables of mlx5_0/1 of h1 and mlx5_1/1 of h2 changed places: the first was in port 2 of switch leaf0 "
        "(0xb000000000000001), and is in port 3 of switch leaf1 (0xb000000000000002)\n1 difference: 1 swapped.\n");
}

TEST_CASE("diff: swapped cables between switches are one swap too") {
  const Graph before = rail_fabric(2, 3, 3);
  Graph after = before;
  Link& a = link_at(after, guid("leaf", 0), 3);  // to spine 0
  Link& b = link_at(after, guid("leaf", 1), 4);  // to spine 1
  std::swap(a.b, b.b);
  std::swap(a.b_port, b.b_port);
  const Difference difference = diff(before, after);
  CHECK(difference.links_swapped.size() == 1);
  CHECK(difference.count() == 1);
}

TEST_CASE("diff: a cable in another port has moved, and one that is out is gone") {
  const Graph before = rail_fabric(4, 2, 2);
  Graph moved = before;
  link_at(moved, guid("nic", 0) + "/1").b_port = 30;
  Difference difference = diff(before, moved);
  REQUIRE(difference.links_moved.size() == 1);
  CHECK(difference.count() == 1);
  CHECK(difference.links_moved[0].end.name == "mlx5_0/1 of h0");
  CHECK(difference.links_moved[0].from.port == 1);
  CHECK(difference.links_moved[0].to.port == 30);

  Graph out = before;
  out.links.erase(out.links.begin() + (&link_at(out, guid("nic", 3) + "/1") - out.links.data()));
  difference = diff(before, out);
  REQUIRE(difference.links_vanished.size() == 1);
  CHECK(difference.count() == 1);
  CHECK(difference.links_vanished[0].a.name == "mlx5_1/1 of h1");
  CHECK(diff(out, before).links_appeared.size() == 1);
}

TEST_CASE("diff: a host that is gone is one difference, with its parts and cables behind it") {
  const Graph before = rail_fabric(4, 2, 2);
  Graph after = before;
  std::erase_if(after.nodes, [](const Node& node) {
    return node.key == "h2" || node.key.starts_with(guid("nic", 4)) || node.key.starts_with(guid("nic", 5));
  });
  std::erase_if(after.links,
                [](const Link& link) { return link.a.starts_with(guid("nic", 4)) || link.a.starts_with(guid("nic", 5)); });
  const Difference difference = diff(before, after);
  CHECK(difference.count() == 1);
  CHECK(difference.nodes_vanished.size() == 5);
  CHECK(difference.links_vanished.size() == 4);
  CHECK_THAT(to_text(difference), ContainsSubstring("gone: h2\ngone: 4 parts and links of these\n"));
}

TEST_CASE("diff: what changed, from what to what") {
  const Graph before = rail_fabric(4, 2, 2);
  Graph after = before;
  Link& link = link_at(after, guid("nic", 0) + "/1");
  link.active.width = 1;
  link.state = LinkState::init;
  node_at(after, guid("leaf", 1)).attributes["firmware"] = std::string("31.2014");
  const Difference difference = diff(before, after);
  CHECK(difference.count() == 2);
  REQUIRE(difference.links_changed.size() == 1);
  CHECK(difference.links_changed[0].a.name == "mlx5_0/1 of h0");
  REQUIRE(difference.links_changed[0].changes.size() == 2);
  CHECK(difference.links_changed[0].changes[0].attribute == "active width");
  CHECK(difference.links_changed[0].changes[0].from == "4");
  CHECK(difference.links_changed[0].changes[0].to == "1");
  CHECK_THAT(to_text(difference), ContainsSubstring("state was active, is init"));
  CHECK_THAT(to_text(difference), ContainsSubstring("firmware is 31.2014, and was not known"));
}

TEST_CASE("diff: fields that one source alone knows are no difference, those that both know are") {
  // As ibnetdiscover tells a fabric, and as its nodes answer, which tell more.
  Graph listed = rail_fabric(4, 2, 2);
  for (Node& node : listed.nodes) node.provenance = {"ibnetdiscover"};
  for (Link& link : listed.links) {
    link.provenance = {"ibnetdiscover"};
    link.capable = {};
    link.state = LinkState::unknown;
  }
  Graph live = rail_fabric(4, 2, 2);
  for (Node& node : live.nodes) {
    node.provenance = {"ibfabric"};
    if (node.kind == Kind::fabric_switch) node.attributes["ports_down"] = std::string("30-64");
  }
  for (Link& link : live.links) {
    link.provenance = {"ibfabric"};
    link.capable = {4, 106.25};
    link.state = LinkState::active;
  }
  add_node(live, guid("nic", 3) + "/2", Kind::port, guid("nic", 3), "mlx5_1/2").provenance = {"ibfabric"};
  add_link(live, guid("nic", 3), guid("nic", 3) + "/2", LinkKind::internal).provenance = {"ibfabric"};
  CHECK(empty(diff(listed, live)));
  CHECK(empty(diff(live, listed)));
  Graph slower = live;
  link_at(slower, guid("nic", 0) + "/1").active.width = 1;
  CHECK(diff(listed, slower).count() == 1);
  Graph moved = live;
  link_at(moved, guid("nic", 0) + "/1").b_port = 30;
  CHECK(diff(listed, moved).links_moved.size() == 1);
  // FDR10 looks like QDR where nodes are asked.
  link_at(listed, guid("nic", 1) + "/1").active.speed = 10.3125;
  link_at(live, guid("nic", 1) + "/1").active.speed = 10;
  CHECK(empty(diff(listed, live)));
  // Of one source a field that is gone is a difference, and so is a port.
  Graph before = live;
  for (Node& node : before.nodes) node.attributes.erase("ports_down");
  CHECK(diff(live, before).count() == 4);
  std::erase_if(before.nodes, [](const Node& node) { return node.key == guid("nic", 3) + "/2"; });
  std::erase_if(before.links, [](const Link& link) { return link.b == guid("nic", 3) + "/2"; });
  CHECK(diff(live, before).count() == 5);
}

TEST_CASE("diff: what passes by itself is left out unless asked for") {
  const Graph before = gpu_server(4);
  Graph after = before;
  Link& idle = link_at(after, "0000:03:00.0");
  REQUIRE(idle.kind == LinkKind::pcie);
  idle.active.speed = 2.5;
  idle.state = LinkState::low;
  idle.bandwidth.nominal = 4;
  idle.b_counters["replay"] = 3;
  node_at(after, guid("nic", 1) + "/1").attributes["lid"] = std::string("0x7");
  CHECK(diff(before, after).count() == 0);
  CHECK(diff(before, after, {true}).count() == 2);
  link_at(after, "0000:03:01.0").active.speed = 2.5;  // a NIC does not sleep
  CHECK(diff(before, after).count() == 1);
  idle.active.width = 8;  // and an idle GPU does not give up lanes
  CHECK(diff(before, after).count() == 2);
}

TEST_CASE("diff: replaced parts are told from new ones") {
  const Graph before = gpu_server(4);
  Graph other_gpu = before;
  node_at(other_gpu, "0000:13:00.0").attributes["uuid"] = std::string("GPU-new");
  Difference difference = diff(before, other_gpu);
  CHECK(difference.count() == 1);
  REQUIRE(difference.nodes_changed.size() == 1);
  CHECK(difference.nodes_changed[0].changes[0].attribute == "uuid");

  // Another NIC in the same slot: its port has another GUID, and is the same port.
  Graph other_nic = before;
  node_at(other_nic, "0000:13:01.0").attributes["node_guid"] = guid("nic", 99);
  node_at(other_nic, guid("nic", 1) + "/1").key = guid("nic", 99) + "/1";
  for (Link& link : other_nic.links)
    if (link.b == guid("nic", 1) + "/1") link.b = guid("nic", 99) + "/1";
  difference = diff(before, other_nic);
  CHECK(difference.nodes_vanished.empty());
  CHECK(difference.links_vanished.empty());
  CHECK(difference.nodes_changed.size() == 2);

  // Two GPUs that changed slots.
  Graph exchanged = before;
  std::swap(node_at(exchanged, "0000:03:00.0").attributes, node_at(exchanged, "0000:13:00.0").attributes);
  difference = diff(before, exchanged);
  CHECK(difference.nodes_changed.size() == 2);
  CHECK(difference.links_moved.size() == 2);
  CHECK_THAT(to_text(difference), ContainsSubstring("key was 0000:03:00.0, is 0000:13:00.0"));
}

TEST_CASE("diff: backwards, what was gone is new", "[long]") {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    const Graph one = rail_fabric(6, 3, 2);
    Graph other = one;
    for (auto n = random() % 6; n > 0; --n) {
      Link& link = other.links[random() % other.links.size()];
      Link& second = other.links[random() % other.links.size()];
      switch (random() % 4) {
        case 0:
          if (link.kind == second.kind && link.kind == LinkKind::infiniband) {
            std::swap(link.b, second.b);
            std::swap(link.b_port, second.b_port);
          }
          break;
        case 1:
          other.links.erase(other.links.begin() + (&link - other.links.data()));
          break;
        case 2:
          link.active.width = static_cast<unsigned>(random() % 5);
          break;
        default:
          link.b_port = 40 + static_cast<unsigned>(random() % 20);
      }
    }
    INFO("round " << round);
    const Difference there = diff(one, other, {true});
    const Difference back = diff(other, one, {true});
    CHECK(there.links_vanished.size() == back.links_appeared.size());
    CHECK(there.links_appeared.size() == back.links_vanished.size());
    CHECK(there.links_changed.size() == back.links_changed.size());
    CHECK(there.links_moved.size() + 2 * there.links_swapped.size() == back.links_moved.size() + 2 * back.links_swapped.size());
    // Nothing is told twice and nothing is lost.
    CHECK(one.links.size() - there.links_vanished.size() == other.links.size() - there.links_appeared.size());
    CHECK(to_json(there) == to_json(diff(one, other, {true})));
  }
}

TEST_CASE("diff: a fabric of 10,000 links, in full of 50,000, and text that stays short", "[long]") {
  const Graph before = rail_fabric(usual_or_thorough(1000U, 5000U), 8, 32);
  Graph after = before;
  for (unsigned host = 0; host < 400; host += 2)
    swap_cables(after, guid("nic", host * 8) + "/1", guid("nic", host * 8 + 9) + "/1");
  for (Link& link : after.links)
    if (link.kind == LinkKind::infiniband && link.b_port % 7 == 0) link.active.width = 2;
  const Difference difference = diff(before, after);
  CHECK(difference.links_swapped.size() == 200);
  CHECK(difference.links_moved.empty());
  CHECK(difference.links_changed.size() > 1000);
  const std::string text = to_text(difference);
  CHECK(std::count(text.begin(), text.end(), '\n') < 40);
  CHECK_THAT(text, ContainsSubstring("swapped: 188 more\n"));
  CHECK(nlohmann::json::parse(to_json(difference))["links_swapped"].size() == 200);
}

TEST_CASE("diff: graphs of different things are not comparable, and of different tools come with a caution") {
  const Graph server = gpu_server(2);
  const Graph fabric = rail_fabric(2, 2, 1);
  Graph other = fabric;
  for (Node& node : other.nodes) node.key = "other " + node.key;
  for (Node& node : other.nodes) node.attributes.clear();
  for (Node& node : other.nodes) node.name += "x";
  for (Node& node : other.nodes)
    if (!node.parent.empty()) node.parent = "other " + node.parent;
  for (Link& link : other.links) {
    link.a = "other " + link.a;
    link.b = "other " + link.b;
  }
  try {
    (void)diff(fabric, other);
    FAIL("no error");
  } catch (const Error& error) { CHECK(error.fault() == Fault::not_comparable); }
  Graph by_another = server;
  for (Node& node : by_another.nodes) node.provenance = {"lspci"};
  CHECK(diff(server, by_another).count() == 0);
  CHECK_THAT(diff(server, by_another).caution, ContainsSubstring("The first was read from test, the second from lspci"));
}

TEST_CASE("diff: any two graphs give an answer") {
  std::mt19937 random(9);
  for (int round = 0; round < 300; ++round) {
    const Graph one = any_graph(random);
    const Graph other = any_graph(random);
    try {
      const Difference difference = diff(one, other, {true});
      CHECK_FALSE(to_text(difference).empty());
      CHECK(nlohmann::json::accept(to_json(difference)));
    } catch (const Error& error) { CHECK(error.fault() == Fault::not_comparable); }
  }
}
