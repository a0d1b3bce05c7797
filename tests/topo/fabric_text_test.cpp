// A fabric in words.
#include <string>

#include "tests/test.hpp"
#include "tests/topo/generate.hpp"
#include "topo/draw/fabric.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::test;

TEST_CASE("a fabric's text counts hosts, cables by what they carry, and switches that are alike") {
  topo::Fabric fabric = fat_tree(4);  // 16 hosts, 8 leaves, 8 spines, 4 cores
  const std::string text = topo::to_text(topo::to_graph(fabric));
  INFO(text);
  CHECK_THAT(text, ContainsSubstring("fabric: 20 switches, 16 hosts, 16 NICs\n"));
  CHECK_THAT(text, ContainsSubstring("16 links to hosts: "));
  CHECK_THAT(text, ContainsSubstring("32 links between switches: "));
  CHECK_THAT(text, ContainsSubstring("8 switches with 2 host links, 2 links to 2 other switches: "));
  CHECK_THAT(text, ContainsSubstring("12 switches with 0 host links, 4 links to 4 other switches: "));
}

TEST_CASE("one slow cable stands apart in a fabric's text") {
  topo::Fabric fabric = fat_tree(4);
  set_rate(fabric, "node00001 mlx5_0", 1, {1, 25.78125});
  CHECK_THAT(topo::draw_fabric(topo::to_graph(fabric)), ContainsSubstring("1 links to hosts: 1x EDR (3.12 GB/s)"));
}

TEST_CASE("a graph without a switch has no fabric") { CHECK(topo::draw_fabric({}).empty()); }
