// The reading of a live fabric: forwarding tables and counters beside what discovery tells.
#include "topo/read/ibfabric.hpp"

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>

#include "base/error.hpp"
#include "tests/test.hpp"
#include "topo/infiniband.hpp"

namespace railgauge {
namespace {

using test::ContainsSubstring;

const std::string info(128, '0');  // answers that were not given

std::string reading(const std::string& routes, const std::string& counters) {
  return "# railgauge: InfiniBand fabric, as libibnetdisc found it, 2 hops wide\n"
         "node switch guid=0x000000000000000a lid=3" +
         routes + " info=" + info +
         " description=leaf 0\n"
         "port 1 guid=0x000000000000000a peer=0x0000000000000010/1" +
         counters + " info=" + info +
         "\n"
         "node adapter guid=0x0000000000000010 lid=0 info=" +
         info +
         " description=n0 mlx5_0\n"
         "port 1 guid=0x0000000000000011 peer=0x000000000000000a/1 info=" +
         info + "\n";
}
topo::Graph read(const std::string& text) { return topo::read_ibfabric({"ibfabric", "fabric.txt", text}); }
const topo::Link& cable_of(const topo::Graph& graph) {
  for (const topo::Link& link : graph.links)
    if (link.kind == topo::LinkKind::infiniband) return link;
  throw std::runtime_error("there is no cable");
}

TEST_CASE("a live fabric's switches tell their forwarding tables, and its ports what they counted") {
  const topo::Graph graph = read(reading(" routes=1=20,2-5=3", " counters=symbol_error:12,port_xmit_data:18446744073709551615"));
  const auto leaf =
      std::find_if(graph.nodes.begin(), graph.nodes.end(), [](const topo::Node& it) { return it.name == "leaf 0"; });
  REQUIRE(leaf != graph.nodes.end());
  CHECK(topo::text_of(leaf->attributes, "routes") == "1=20,2-5=3");
  const topo::Link& cable = cable_of(graph);
  CHECK(cable.a == "0x0000000000000010/1");
  CHECK(cable.b_counters == topo::Counters{{"symbol_error", 12}, {"port_xmit_data", UINT64_MAX}});
  CHECK(cable.a_counters.empty());
  const topo::Graph plain = read(reading("", ""));
  for (const topo::Node& node : plain.nodes) CHECK(!node.attributes.contains("routes"));
  CHECK(cable_of(plain).b_counters.empty());
}

TEST_CASE("tables and counters that cannot be read are refused with their line") {
  for (const char* const routes : {" routes=1", " routes=", " routes=2=1,1=1", " routes=1=256"})
    CHECK_THROWS_WITH(read(reading(routes, "")), ContainsSubstring("fabric.txt:2: expected a forwarding table"));
  for (const char* const counters : {" counters=symbol_error", " counters=:3", " counters=a:b", " counters=a:1,,b:2"})
    CHECK_THROWS_WITH(read(reading("", counters)), ContainsSubstring("fabric.txt:3: expected"));
}

TEST_CASE("a damaged reading of a live fabric is a graph or a sentence") {
  const std::string whole = reading(" routes=1=20,2-5=3", " counters=symbol_error:12,port_xmit_data:7");
  std::mt19937 random(3);
  for (int turn = 0; turn < 2000; ++turn) {
    std::string text = whole;
    for (int i = 0; i < 3; ++i)
      text[90 + random() % (text.size() - 90)] = static_cast<char>(" =,:-0123456789abcg\n"[random() % 20]);
    try {
      (void)read(text);
    } catch (const Error& error) { CHECK(error.fault() == Fault::usage); }
  }
}

TEST_CASE("the text of a forwarding table") {
  const auto table = topo::forwarding_table("1=20,3-5=3,6=7");
  REQUIRE(table.has_value());
  CHECK(*table == std::vector<std::uint8_t>{255, 20, 255, 3, 3, 3, 7});
  for (const char* const text : {"1", "1=", "=3", "1=255", "5-3=1", "3=1,2=1", "1=1,,2=2", "1=1,", "70000=1", "1=1 2=2", "a=1"}) {
    INFO(text);
    CHECK(!topo::forwarding_table(text).has_value());
  }
}

}  // namespace
}  // namespace railgauge
