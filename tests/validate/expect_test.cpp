// Published figures, and thresholds that are refused.
#include "bench/validate/method/expect.hpp"

#include <set>
#include <string>

#include "base/error.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;
using namespace railgauge::validate;

namespace {

topo::Team h100(unsigned nodes, double network) {
  topo::Team team;
  team.ranks = 8 * nodes;
  team.domains = nodes;
  team.inside = 450;
  team.network = network;
  team.multicast = true;
  return team;
}

}  // namespace

TEST_CASE("every published figure has a condition or none, a source and a unit that fits") {
  std::set<std::string> seen;
  for (const Reference& it : references()) {
    INFO(it.platform << ", " << name(it.figure) << ", " << it.condition);
    CHECK_FALSE(it.platform.empty());
    CHECK_FALSE(it.source.empty());
    CHECK((it.value > 0 && it.value < 2000));
    CHECK((it.unit == Unit::microseconds) == (it.figure == Figure::write_latency));
    CHECK(seen.insert(std::string(it.platform) + "|" + std::string(name(it.figure)) + "|" + std::string(name(it.origin)) + "|" +
                      std::string(it.condition) + "|" + std::string(it.source))
              .second);
  }
  CHECK(seen.size() > 100);
}

TEST_CASE("figures are looked up by the words of a platform") {
  const std::vector<Reference> found = references_for("b200 8", Figure::all_reduce);
  REQUIRE(found.size() == 3);
  CHECK(found[0].value == 845.7);
  CHECK(found[0].origin == Origin::measured);
  CHECK(references_for("H100", Figure::all_to_all).size() == 2);
  CHECK(references_for("no such machine", Figure::all_reduce).empty());
  CHECK(references_for(" ", Figure::all_reduce).empty());
}

TEST_CASE("a threshold above every ceiling is refused with the arithmetic") {
  // 800 GB/s between two nodes of 8 H100 with 50 GB/s of network each: shipped by somebody, and impossible.
  const topo::Team two = h100(2, 50);
  CHECK_THROWS_WITH(check_threshold(Collective::all_reduce, two, 800), ContainsSubstring("800 GB/s of all_reduce") &&
                                                                           ContainsSubstring("50*15/1") &&
                                                                           ContainsSubstring("ask for less"));
  CHECK_NOTHROW(check_threshold(Collective::all_reduce, two, 480));
  // Without NVSwitches that reduce and without SHARP the ring is the most.
  topo::Team ring = h100(1, 0);
  ring.multicast = false;
  CHECK_THROWS_AS(check_threshold(Collective::all_reduce, ring, 451), Error);
  CHECK_NOTHROW(check_threshold(Collective::all_reduce, ring, 450));
  ring.multicast = true;
  CHECK_NOTHROW(check_threshold(Collective::all_reduce, ring, 451));
  // What is not known refuses nothing.
  CHECK_NOTHROW(check_threshold(Collective::all_reduce, h100(2, 0), 400));
  CHECK_NOTHROW(check_threshold(Collective::all_reduce, h100(2, 0), 460));  // more than V: NVLS tree may
  topo::Team tree = h100(2, 0);
  tree.multicast = false;
  CHECK_NOTHROW(check_threshold(Collective::all_reduce, tree, 460));  // r is unknown, and V alone is no ceiling
  topo::Team unknown = h100(1, 0);
  unknown.inside = 0;
  CHECK_NOTHROW(check_threshold(Collective::all_reduce, unknown, 1e6));
}
