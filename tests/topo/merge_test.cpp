// Joining what several sources and several machines say.
#include "topo/merge.hpp"

#include <random>
#include <string>

#include "tests/test.hpp"
#include "tests/topo/machines.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

Node node(const std::string& key, Kind kind, const std::string& parent, const std::string& source) {
  Node made;
  made.key = key;
  made.kind = kind;
  made.name = "name of " + key + " by " + source;
  made.parent = parent;
  made.provenance = {source};
  return made;
}

Link link(const std::string& a, unsigned a_port, const std::string& b, unsigned b_port, LinkKind kind) {
  Link made;
  made.a = a;
  made.b = b;
  made.a_port = a_port;
  made.b_port = b_port;
  made.kind = kind;
  made.provenance = {"test"};
  return made;
}

Graph host(const std::string& guid) {
  Graph graph;
  graph.nodes = {node("machine", Kind::machine, "", "hwloc"), node("0000:3b:00.0", Kind::nic, "machine", "hwloc"),
                 node(guid + "/1", Kind::port, "0000:3b:00.0", "hwloc")};
  graph.nodes[1].attributes["node_guid"] = guid.substr(2);
  graph.links = {link("0000:3b:00.0", 0, guid + "/1", 0, LinkKind::internal)};
  return graph;
}

}  // namespace

TEST_CASE("merge: what is known of one node by two sources stands in one") {
  Graph into;
  into.nodes = {node("machine", Kind::machine, "", "hwloc"), node("0000:3b:00.0", Kind::device, "machine", "hwloc")};
  into.nodes[1].attributes["vendor"] = std::string("A");
  Graph from;
  from.nodes = {node("machine", Kind::machine, "", "nvml"), node("0000:3b:00.0", Kind::gpu, "machine", "nvml"),
                node("0000:3c:00.0", Kind::gpu, "machine", "nvml")};
  from.nodes[1].attributes["vendor"] = std::string("B");
  from.nodes[1].attributes["uuid"] = std::string("GPU-1");
  merge(into, from);
  REQUIRE(into.nodes.size() == 3);
  CHECK(inconsistency(into) == "");
  CHECK(into.nodes[1].kind == Kind::gpu);
  CHECK(text_of(into.nodes[1].attributes, "vendor") == "A");
  CHECK(text_of(into.nodes[1].attributes, "uuid") == "GPU-1");
  CHECK(into.nodes[1].provenance == Provenance{"hwloc", "nvml"});
  Graph by_uuid;
  by_uuid.nodes = {node("gpu0", Kind::gpu, "", "nvidia-smi")};
  by_uuid.nodes[0].attributes["uuid"] = std::string("GPU-1");
  merge(into, by_uuid);
  CHECK(into.nodes.size() == 3);
}

TEST_CASE("merge: links join whichever end comes first, and fill what was not known") {
  Graph into;
  into.nodes = {node("x", Kind::fabric_switch, "", "a"), node("y", Kind::fabric_switch, "", "a")};
  into.links = {link("x", 1, "y", 2, LinkKind::infiniband), link("x", 3, "y", 4, LinkKind::infiniband)};
  Graph from = into;
  from.links = {link("y", 2, "x", 1, LinkKind::infiniband), link("x", 5, "y", 6, LinkKind::infiniband)};
  from.links[0].active = {4, 25};
  from.links[0].a_counters["symbol_error"] = 7;
  from.links[0].state = LinkState::active;
  merge(into, from);
  REQUIRE(into.links.size() == 3);
  CHECK(into.links[0].active.width == 4);
  CHECK(into.links[0].state == LinkState::active);
  CHECK(into.links[0].b_counters.at("symbol_error") == 7);
  CHECK(into.links[0].a_counters.empty());
}

TEST_CASE("merge: the NIC that the fabric knows by its GUID is the one that its machine knows by its address") {
  Graph all;
  Graph one = host("0x0000000000000aaa");
  Graph two = host("0x0000000000000bbb");
  qualify(one, "n1");
  qualify(two, "n2");
  merge(all, one);
  merge(all, two);
  Graph fabric;
  for (const std::string name : {"n1", "n2"}) {
    const std::string guid = name == "n1" ? "0x0000000000000aaa" : "0x0000000000000bbb";
    fabric.nodes.push_back(node(name, Kind::machine, "", "ibnetdiscover"));
    fabric.nodes.push_back(node(guid, Kind::nic, name, "ibnetdiscover"));
    fabric.nodes.push_back(node(guid + "/1", Kind::port, guid, "ibnetdiscover"));
    fabric.links.push_back(link(guid + "/1", 1, "0x000000000000000c", name == "n1" ? 1 : 2, LinkKind::infiniband));
  }
  fabric.nodes.push_back(node("0x000000000000000c", Kind::fabric_switch, "", "ibnetdiscover"));
  merge(all, fabric);
  CHECK(inconsistency(all) == "");
  CHECK(all.nodes.size() == 7);
  CHECK(all.nodes[1].key == "n1/0000:3b:00.0");
  CHECK(all.nodes[2].parent == "n1/0000:3b:00.0");
  CHECK(all.links.size() == 4);
}

TEST_CASE("merge: any order of sources holds together, also with parents in circles or missing") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    const auto any = [&] {
      Graph graph;
      std::vector<bool> taken(8);
      for (int i = 0; i < 6; ++i) {
        const unsigned key = random() % 8;
        if (taken[key]) continue;
        taken[key] = true;
        graph.nodes.push_back(node(std::to_string(key), Kind::device, std::to_string(random() % 9), "any"));
      }
      sort_depth_first(graph);
      return graph;
    };
    Graph graph = any();
    merge(graph, any());
    merge(graph, any());
    CHECK(inconsistency(graph) == "");
  }
}

TEST_CASE("guid_key takes every notation of a GUID, and nothing else") {
  for (const std::string text : {"a088:c203:00ab:0000", "0xa088c20300ab0000", "a088c20300ab0000", "0xA088C20300AB0000"})
    CHECK(guid_key(text) == "0xa088c20300ab0000");
  CHECK(guid_key("0xab") == "0x00000000000000ab");
  for (const std::string text : {"", "0x", "0000:0000:0000:0000", "mlx5_0", "a088c20300ab00001", "0000:3b:00.0"})
    CHECK(guid_key(text).empty());
}
