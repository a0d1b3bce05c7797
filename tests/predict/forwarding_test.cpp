// Messages that follow the forwarding tables of switches, and tables that lead to no receiver.
#include "bench/predict/routes/forwarding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "bench/predict/predict.hpp"
#include "bench/predict/routes/routes.hpp"
#include "tests/predict/clusters.hpp"
#include "tests/test.hpp"
#include "topo/infiniband.hpp"
#include "topo/network/network.hpp"

namespace railgauge::test {
namespace {

using namespace railgauge::predict;

topo::Node& node_of(topo::Graph& graph, const std::string& key) {
  return *std::find_if(graph.nodes.begin(), graph.nodes.end(), [&](const topo::Node& it) { return it.key == key; });
}

// Numbers the ports of switches and the LIDs of NICs, which it gives by key. Links of NICs that are not above.
std::map<std::string, unsigned> number(topo::Graph& graph) {
  std::map<std::string, unsigned> ports, lids;
  for (topo::Link& link : graph.links) {
    if (!topo::is_cable(link.kind)) continue;
    if (node_of(graph, link.a).kind == topo::Kind::fabric_switch) link.a_port = ++ports[link.a];
    link.b_port = ++ports[link.b];
  }
  for (topo::Node& node : graph.nodes) {
    if (node.kind != topo::Kind::nic) continue;
    const auto lid = static_cast<unsigned>(lids.size() + 1);
    node.attributes["lid"] = std::uint64_t{lids[node.key] = lid};
  }
  return lids;
}

// The cables at a node, the other end of each, and the port of each at the node.
struct Neighbour {
  std::string key;
  unsigned port = 0;
};
std::vector<Neighbour> neighbours(const topo::Graph& graph, const std::string& key) {
  std::vector<Neighbour> found;
  for (const topo::Link& link : graph.links) {
    if (!topo::is_cable(link.kind)) continue;
    if (link.a == key) found.push_back({link.b, link.a_port});
    if (link.b == key) found.push_back({link.a, link.b_port});
  }
  return found;
}

// Fills the tables of all switches with shortest paths; of several ports `choose` takes one, by the LID.
template <class Choose>
void fill_tables(topo::Graph& graph, const std::map<std::string, unsigned>& lids, const Choose& choose) {
  std::map<std::string, std::map<unsigned, unsigned>> tables;  // of each switch, by LID
  for (const auto& [nic, lid] : lids) {
    std::map<std::string, unsigned> distance{{nic, 0}};
    std::vector<std::string> front{nic};
    for (unsigned away = 1; !front.empty(); ++away) {
      std::vector<std::string> next;
      for (const std::string& at : front)
        for (const Neighbour& it : neighbours(graph, at))
          if (node_of(graph, it.key).kind == topo::Kind::fabric_switch && distance.try_emplace(it.key, away).second)
            next.push_back(it.key);
      front = next;
    }
    for (const auto& [key, away] : distance) {
      if (key == nic) continue;
      std::vector<unsigned> ports;
      for (const Neighbour& it : neighbours(graph, key))
        if (const auto found = distance.find(it.key); found != distance.end() && found->second + 1 == away)
          ports.push_back(it.port);
      tables[key][lid] = ports[choose(lid) % ports.size()];
    }
  }
  for (const auto& [key, table] : tables) {
    std::string text;
    for (const auto& [lid, port] : table) text += fmt::format("{}{}={}", text.empty() ? "" : ",", lid, port);
    node_of(graph, key).attributes[std::string(topo::forwarding_attribute)] = text;
  }
}

Cluster two_leaves() {
  Cluster it;
  it.machines = 4;
  it.gpus = 0;
  it.leaf_machines = 2;
  it.rails = false;
  return it;
}

// The links that a message uses, by the keys of their ends in its direction, with its share.
std::map<std::string, double> shares(const topo::Graph& graph, std::int32_t from, std::int32_t to,
                                     std::uint32_t* switches = nullptr) {
  const topo::Network network = topo::network_of(graph, {});
  const Incidence incidence(graph, network);
  const Forwarding forwarding(graph, incidence);
  Routes routes(incidence, {RoutingKind::tables, 1, &forwarding});
  std::map<std::string, double> found;
  const Route route = routes.between(from, to);
  visit(route.path, [&](std::uint32_t arc, double share) {
    const topo::Link& link = graph.links[network.arcs[arc].link];
    found[arc % 2 == 0 ? link.a + ">" + link.b : link.b + ">" + link.a] += share;
  });
  if (switches != nullptr) *switches = route.switches;
  return found;
}

std::string refusal(const topo::Graph& graph, std::int32_t from, std::int32_t to) {
  try {
    (void)shares(graph, from, to);
  } catch (const Error& error) { return error.what(); }
  return {};
}

Question all_to_all_of_16_mib() {
  Question question;
  question.collective = Collective::all_to_all;
  question.algorithms = {"direct"};
  question.sizes = {16 << 20};
  return question;
}

}  // namespace

TEST_CASE("a message takes the spine that the tables name for the receiver") {
  topo::Graph graph = cluster_graph(two_leaves());
  const auto lids = number(graph);
  fill_tables(graph, lids, [](unsigned lid) { return lid; });
  for (const std::int32_t to : {2, 3}) {
    const std::string receiver = fmt::format("m{}/nic0", to);
    const std::string spine = fmt::format("spine{}", lids.at(receiver) % 2);
    CAPTURE(receiver, spine);
    const auto found = shares(graph, 0, to);
    CHECK(found.at("leaf0.0>" + spine) == 1);
    CHECK(found.at(spine + ">leaf1.0") == 1);
    CHECK(found.at("leaf1.0>" + receiver) == 1);
  }
  CHECK(shares(graph, 0, 1).size() == 4);  // below one leaf: NIC, cable, cable, NIC
}

TEST_CASE("whatever shortest paths the tables choose, what a rank sends arrives whole and over one path a NIC") {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    std::mt19937 random(seed);
    Cluster cluster;
    const auto draw = [&](unsigned count) { return static_cast<unsigned>(random() % count); };
    cluster.machines = 2 + draw(4);
    cluster.gpus = draw(4);
    cluster.leaf_machines = 1 + draw(3);
    cluster.spines = 1 + draw(3);
    cluster.rails = draw(2) == 0;
    topo::Graph graph = cluster_graph(cluster);
    fill_tables(graph, number(graph), [&](unsigned) { return random(); });
    const topo::Network network = topo::network_of(graph, {});
    const Incidence incidence(graph, network);
    const Forwarding forwarding(graph, incidence);
    REQUIRE(forwarding.complete());
    Routes routes(incidence, {RoutingKind::tables, 1, &forwarding});
    const auto ranks = static_cast<std::int32_t>(network.ranks.size());
    for (std::int32_t from = 0; from < ranks; ++from)
      for (std::int32_t to = 0; to < ranks; ++to) {
        if (from == to) continue;
        CAPTURE(seed, from, to);
        std::vector<double> balance(network.vertices.size(), 0);
        balance[network.ranks[static_cast<std::size_t>(from)]] += 1;
        balance[network.ranks[static_cast<std::size_t>(to)]] -= 1;
        visit(routes.between(from, to).path, [&](std::uint32_t arc, double share) {
          if (incidence.of(arc) == ArcClass::cable) CHECK(share == 1);
          balance[network.arcs[arc].from] -= share;
          balance[network.arcs[arc].to] += share;
        });
        CHECK(std::all_of(balance.begin(), balance.end(), [](double it) { return it < 1e-9 && it > -1e-9; }));
      }
  }
}

TEST_CASE("a table that leads by a detour costs its switches") {
  topo::Graph graph = cluster_graph(two_leaves());
  const auto lids = number(graph);
  fill_tables(graph, lids, [](unsigned) { return 0U; });
  // From leaf 0 to its own host m1 by spine 1, which sends it back.
  const std::string lid = std::to_string(lids.at("m1/nic0"));
  unsigned up = 0, down = 0;
  for (const Neighbour& it : neighbours(graph, "leaf1.0"))
    if (it.key == "spine1") up = it.port;
  for (const Neighbour& it : neighbours(graph, "spine1"))
    if (it.key == "leaf0.0") down = it.port;
  node_of(graph, "leaf1.0").attributes["routes"] = fmt::format("{}={}", lid, up);
  node_of(graph, "spine1").attributes["routes"] = fmt::format("{}={}", lid, down);
  std::uint32_t switches = 0;
  const auto found = shares(graph, 2, 1, &switches);
  CHECK(found.contains("leaf1.0>spine1"));
  CHECK(found.contains("spine1>leaf0.0"));
  CHECK(switches == 3);
}

TEST_CASE("tables that lack a receiver, lead in a circle or to another host, and a port without a LID, are named") {
  topo::Graph whole = cluster_graph(two_leaves());
  const auto lids = number(whole);
  fill_tables(whole, lids, [](unsigned) { return 0U; });
  const unsigned lid = lids.at("m2/nic0");
  const auto with = [&](const std::string& key, const std::string& routes) {
    topo::Graph graph = whole;
    node_of(graph, key).attributes["routes"] = routes;
    return refusal(graph, 0, 2);
  };
  CHECK(refusal(whole, 0, 2).empty());
  CHECK(with("leaf0.0", "1=1") ==
        fmt::format("the forwarding table of leaf0.0 has no port for LID {}: no message reaches it", lid));
  CHECK(with("leaf0.0", fmt::format("{}=40", lid)) ==
        fmt::format("the forwarding table of leaf0.0 sends LID {} out of port 40, of which no cable is known: no message reaches "
                    "it",
                    lid));
  CHECK(
      with("leaf0.0", fmt::format("{}=1", lid)) ==
      fmt::format("the forwarding table of leaf0.0 sends LID {} out of port 1, behind which is another host: no message reaches "
                  "it",
                  lid));
  unsigned back = 0;
  for (const Neighbour& it : neighbours(whole, "spine0"))
    if (it.key == "leaf0.0") back = it.port;
  CHECK_THAT(with("spine0", fmt::format("{}={}", lid, back)), ContainsSubstring(fmt::format("send LID {} in a circle", lid)));
  topo::Graph nameless = whole;
  node_of(nameless, "m2/nic0").attributes.erase("lid");
  CHECK_THAT(refusal(nameless, 0, 2), ContainsSubstring("no LID is known of m2/nic0"));
}

TEST_CASE("predictions take tables where all switches have one, and say what they take") {
  topo::Graph graph = cluster_graph(two_leaves());
  const auto lids = number(graph);
  const topo::Graph bare = graph;
  Question question = all_to_all_of_16_mib();
  // Cables to hosts and uplinks are as fast, and two hosts of each leaf send to those of the other: both spines are just enough.
  const Answer adaptive = predict::predict(bare, question);
  CHECK(adaptive.routing == RoutingKind::adaptive);
  CHECK(adaptive.assumed.back() == "a message takes all shortest paths of the fabric at once (adaptive routing)");
  fill_tables(graph, lids, [](unsigned) { return 0U; });  // one spine for all
  const Answer one = predict::predict(graph, question);
  CHECK(one.routing == RoutingKind::tables);
  CHECK(one.assumed.back() == "messages take the paths of the switches' forwarding tables");
  const auto seconds = [](const Answer& it) { return it.columns.front().predictions.front().seconds; };
  CHECK(seconds(one) > 1.25 * seconds(adaptive));
  question.routing = RoutingKind::adaptive;
  CHECK(seconds(predict::predict(graph, question)) == seconds(adaptive));
  fill_tables(graph, lids, [](unsigned lid) { return lid; });
  question.routing = RoutingKind::tables;
  CHECK(seconds(predict::predict(graph, question)) < seconds(one));
  node_of(graph, "spine1").attributes.erase("routes");
  CHECK_THROWS_WITH(
      predict::predict(graph, question),
      "--routing tables: switch spine1 has no forwarding table; `railgauge topo --fabric --routes` reads those of a "
      "live fabric");
  question.routing.reset();
  const Answer some = predict::predict(graph, question);
  CHECK(some.routing == RoutingKind::adaptive);
  CHECK_THAT(some.assumed.back(), ContainsSubstring("; 3 of 4 switches have a forwarding table, so none is used"));
}

}  // namespace railgauge::test
