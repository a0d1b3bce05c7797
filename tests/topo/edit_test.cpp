// Edits of graphs: what is taken out takes along what it holds, what is set is set, and leaves stay joined.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "topo/edit/edit.hpp"
#include "topo/fabric/fabric.hpp"
#include "topo/generate/generate.hpp"
#include "topo/ratios.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

Graph edited(const Graph& graph, const std::string& text) {
  const std::vector<Edit> edits{parse_edit(text)};
  return apply_edits(graph, edits);
}

std::set<std::string> keys_of(const Graph& graph) {
  std::set<std::string> keys;
  for (const Node& node : graph.nodes) keys.insert(node.key);
  return keys;
}

std::map<std::string, unsigned> links_of(const Graph& graph) {
  std::map<std::string, unsigned> keys;
  for (const Link& link : graph.links) ++keys[link_key(link)];
  return keys;
}

// Of each switch: cables to hosts and to switches above.
struct Sides {
  unsigned down = 0, up = 0;
};
std::map<std::string, Sides> leaves_of(const Graph& graph) {
  const View view(graph);
  const fabric::Fabric fabric = fabric::read_fabric(view);
  std::map<std::string, Sides> all;
  for (const fabric::Switch& it : fabric.switches) {
    if (it.tier != 1) continue;
    Sides& sides = all[fabric.name(it)];
    sides.down = static_cast<unsigned>(it.hosts.size());
    for (const fabric::Peer& peer : it.peers) sides.up += peer.count();
  }
  return all;
}

unsigned named(const Graph& graph, std::string_view begin) {
  return static_cast<unsigned>(std::count_if(graph.nodes.begin(), graph.nodes.end(), [&](const Node& node) {
    return node.kind == Kind::fabric_switch && node.name.starts_with(begin);
  }));
}

}  // namespace

TEST_CASE("edits are read, and written as they are read") {
  for (const char* text : {"remove spine-1", "remove leaf-u1-r0:33", "remove a - b infiniband", "set leaf-1:5 bandwidth=12.5",
                           "set GPU 3 - NVSwitch 0 nvlink bandwidth=50", "rails=4", "oversubscribe=1.5"}) {
    INFO(text);
    CHECK(to_text(parse_edit(text)) == text);
  }
  const Edit it = parse_edit("  set a - b   bandwidth=25 ");
  CHECK(it.kind == EditKind::set_bandwidth);
  CHECK(it.what == "a - b");
  CHECK_THAT(it.value, WithinAbs(25, 0));
}

TEST_CASE("what is no edit, or names nothing, gets one sentence") {
  const Graph graph = generate("rail:hosts=8,radix=16");
  const std::map<std::string, std::string> said{
      {"", "\"\" is no edit: expected remove LINK|NODE, set LINK bandwidth=GB/s"},
      {"remove", "is no edit"},
      {"remove ", "is no edit"},
      {"set", "is no edit"},
      {"set a", "is no edit: expected set LINK bandwidth=GB/s"},
      {"set a - b bandwidth=0", "is no edit: expected set LINK bandwidth=GB/s, from 0.001 GB/s on"},
      {"set a - b bandwidth=-1", "is no edit"},
      {"set a - b bandwidth=nan", "is no edit"},
      {"set a - b speed=5", "is no edit"},
      {"set bandwidth=5", "is no edit"},
      {"rails=0", "is no edit: expected rails=NUMBER, a whole number from 1 on"},
      {"rails=2.5", "is no edit"},
      {"rails=four", "is no edit"},
      {"oversubscribe=0.5", "is no edit: expected oversubscribe=RATIO, from 1 on"},
      {"remove spine-99", "there is no spine-99 in this graph"},
      {"remove spine-99:3", "there is no spine-99 in this graph"},
      {"remove mlx5_0", "mlx5_0 can be"},
      {"remove spine-1:60", "no link is in port 60 of switch spine-1"},
      {"remove node1 - spine-1", "there is no link between node1 and spine-1"},
      {"remove node1 - leaf-u1-r0 nvlink", "there is no NVLink link between"},
      {"set spine-1 bandwidth=5", "spine-1 names a node, and a link is needed"},
      {"rails=8", "rails=8: hosts of this graph have 8 NICs"},
      {"oversubscribe=1", "oversubscribe=1: each leaf has no more links up than that already"},
  };
  for (const auto& [text, expected] : said) {
    INFO(text);
    CHECK_THAT(sentence([&, &text = text] { static_cast<void>(edited(graph, text)); }), ContainsSubstring(expected));
  }
  CHECK_THAT(sentence([&] { static_cast<void>(edited(generate("torus"), "oversubscribe=2")); }),
             ContainsSubstring("this graph has no leaves with cables to spines"));
  CHECK_THAT(sentence([&] { static_cast<void>(edited(generate("dgx-h100"), "remove machine")); }),
             ContainsSubstring("nothing would be left"));
}

TEST_CASE("any node or link that is removed is gone with what it holds, and the rest stays as it was") {
  const unsigned seed = std::random_device()();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const std::vector<Graph> graphs{generate("rail:hosts=4,host=dgx-a100,radix=32"),
                                  generate("fat-tree:hosts=12,host=plain,radix=4"), generate("dgx-h100"), generate("nvl72"),
                                  generate("dragonfly:hosts=1")};
  for (unsigned i = 0; i < 60; ++i) {
    const Graph& graph = graphs[random() % graphs.size()];
    const View view(graph);
    std::set<std::string> gone;
    std::map<std::string, unsigned> links = links_of(graph);
    std::string text;
    if (random() % 2 == 0) {
      const std::size_t at = random() % graph.nodes.size();
      text = graph.nodes[at].key;
      for (std::size_t node = 0; node < graph.nodes.size(); ++node)
        for (std::size_t it = node; it != View::none; it = view.parent(it))
          if (it == at) gone.insert(graph.nodes[node].key);
      for (const Link& link : graph.links)
        if (gone.contains(link.a) || gone.contains(link.b)) links.erase(link_key(link));
    } else {
      text = link_key(graph.links[random() % graph.links.size()]);
      links.erase(text);
    }
    INFO(text);
    if (gone.size() == graph.nodes.size()) continue;
    const Graph after = edited(graph, "remove " + text);
    CHECK(inconsistency(after).empty());
    std::set<std::string> expected = keys_of(graph);
    for (const std::string& key : gone) expected.erase(key);
    CHECK(keys_of(after) == expected);
    CHECK(links_of(after) == links);
    // In the order of before.
    std::size_t next = 0;
    for (const Node& node : graph.nodes)
      if (next < after.nodes.size() && after.nodes[next].key == node.key) ++next;
    CHECK(next == after.nodes.size());
  }
}

TEST_CASE("links are named by two nodes, by what holds their ends, and by a port") {
  const Graph graph = generate("rail:hosts=8,radix=16");
  const auto lost = [&](const std::string& text) { return graph.links.size() - edited(graph, "remove " + text).links.size(); };
  CHECK(lost("node1 - leaf-u1-r3") == 1);
  CHECK(lost("node1/mlx5_3 - leaf-u1-r3") == 1);
  CHECK(lost("leaf-u1-r3 - node1/mlx5_3/1 infiniband") == 1);
  CHECK(lost("leaf-u1-r3:1") == 1);
  CHECK(lost("leaf-u1-r3:1 - node1") == 1);
  CHECK(lost("leaf-u1-r3 - spine-1") == 2);  // side by side
  CHECK(lost("leaf-u1-r3:9 - spine-1") == 1);
  CHECK(lost("node1/gpu0 - node1/NVSwitch 0") == 1);
  CHECK(lost("node2/mlx5_0/1") == 2);  // a port is a node: the cable and the link to its NIC
}

TEST_CASE("a bandwidth that is set is that of each link, and its rate is unknown then") {
  const Graph graph = generate("fat-tree:hosts=8,host=plain,radix=4,tiers=3");
  const Graph after = edited(graph, "set node1 - leaf-p1-1 bandwidth=5");
  unsigned changed = 0;
  for (std::size_t i = 0; i < graph.links.size(); ++i) {
    if (graph.links[i].bandwidth.nominal == after.links[i].bandwidth.nominal) continue;
    ++changed;
    CHECK_THAT(after.links[i].bandwidth.nominal, WithinAbs(5, 0));
    CHECK_THAT(after.links[i].bandwidth.usable, WithinAbs(graph.links[i].bandwidth.usable / 10, 1e-9));
    CHECK(after.links[i].active.width == 0);
    CHECK(after.links[i].capable.width == 4);
  }
  CHECK(changed == 1);
}

TEST_CASE("four rails of eight are every second one, and their leaves and spines go with the others") {
  for (const char* word : {"rail:hosts=16,radix=16", "rail:hosts=16,radix=16,tiers=3", "rail:hosts=8,host=dgx-a100"}) {
    INFO(word);
    const Graph graph = generate(word);
    const Graph after = edited(graph, "rails=4");
    CHECK(inconsistency(after).empty());
    const View view(after);
    const fabric::Fabric fabric = fabric::read_fabric(view);
    CHECK(fabric.rails == 4);
    for (const fabric::Host& host : fabric.hosts) {
      REQUIRE(host.uplinks.size() == 4);
      for (std::size_t k = 0; k < 4; ++k) CHECK(view.label(host.uplinks[k].nic) == fmt::format("mlx5_{}", 2 * k));
    }
    CHECK(named(after, "leaf") * 2 == named(graph, "leaf"));
    for (const fabric::Switch& it : fabric.switches) CHECK((!it.hosts.empty() || !it.peers.empty()));
    CHECK(std::count_if(after.nodes.begin(), after.nodes.end(), [](const Node& it) { return it.kind == Kind::gpu; }) ==
          std::count_if(graph.nodes.begin(), graph.nodes.end(), [](const Node& it) { return it.kind == Kind::gpu; }));
  }
  const Graph three = edited(generate("rail:hosts=8,radix=16"), "rails=3");
  CHECK(leaves_of(three).size() == 3);
  CHECK(leaves_of(edited(generate("fat-tree:hosts=8"), "rails=2")).begin()->second.down == 16);
  const Graph alone = edited(generate("dgx-h100"), "rails=2");
  CHECK(std::count_if(alone.nodes.begin(), alone.nodes.end(), [](const Node& it) { return it.kind == Kind::nic; }) == 2);
}

TEST_CASE("oversubscription of 2 halves the links up of every leaf, and leaves stay joined") {
  for (const char* word : {"rail:hosts=16,radix=16", "fat-tree:hosts=32,host=plain,radix=8,tiers=3", "fat-tree:hosts=64",
                           "rail:hosts=16,radix=16,tiers=3"}) {
    INFO(word);
    const Graph graph = generate(word);
    const Graph after = edited(graph, "oversubscribe=2");
    CHECK(inconsistency(after).empty());
    const std::map<std::string, Sides> before = leaves_of(graph);
    const std::map<std::string, Sides> now = leaves_of(after);
    REQUIRE(before.size() == now.size());
    for (const auto& [name, sides] : now) {
      CHECK(sides.down == before.at(name).down);
      CHECK(sides.up * 2 == before.at(name).up);
    }
    // Leaves of one pod share all of their spines.
    const View view(after);
    const fabric::Fabric fabric = fabric::read_fabric(view);
    std::set<std::set<std::uint32_t>> above;
    for (const fabric::Switch& it : fabric.switches) {
      CHECK((!it.hosts.empty() || !it.peers.empty()));
      if (it.tier != 1) continue;
      std::set<std::uint32_t> spines;
      for (const fabric::Peer& peer : it.peers) spines.insert(peer.other);
      above.insert(spines);
    }
    std::set<std::uint32_t> all;
    for (const auto& spines : above)
      for (const std::uint32_t spine : spines) CHECK(all.insert(spine).second);
  }
}

TEST_CASE("edits follow one another") {
  const Graph graph = generate("rail:hosts=16,radix=16");
  const std::vector<Edit> edits{parse_edit("rails=4"), parse_edit("oversubscribe=2"), parse_edit("remove node03")};
  const Graph after = apply_edits(graph, edits);
  CHECK(inconsistency(after).empty());
  CHECK(leaves_of(after).size() == 8);
  for (const auto& [name, sides] : leaves_of(after)) CHECK(sides.up == 4);
}
