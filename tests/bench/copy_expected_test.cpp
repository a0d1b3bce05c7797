// What the links of recorded machines allow a copy.
#include "bench/copy/expected.hpp"

#include <string>
#include <vector>

#include "tests/test.hpp"
#include "topo/read/build.hpp"
#include "topo/read/sources.hpp"

using namespace railgauge;
using railgauge::test::ContainsSubstring;
using railgauge::test::WithinAbs;

namespace {

topo::Graph machine(const std::string& name) {
  const std::string folder = std::string(RAILGAUGE_MACHINES) + "/" + name;
  return topo::build(topo::read_evidence(folder));
}

CopyPlace place(const std::string& name, int device) { return {{.name = name, .summary = {}, .keys = {name}}, nullptr, device}; }

}  // namespace

TEST_CASE("the links allow a copy what the narrowest of them carries") {
  const topo::Graph h100 = machine("dgx_h100");
  const CopyPlace numa0 = place("numa0", -1), numa1 = place("numa1", -1), near = place("0000:1b:00.0", 0),
                  other = place("0000:df:00.0", 7);
  const auto between = [&](const CopyPlace& from, const CopyPlace& to) { return expected_copy(h100, "node", from, to); };
  REQUIRE(between(numa0, near));
  CHECK_THAT(between(numa0, near)->busbw, WithinAbs(63, 0.5));
  CHECK_THAT(between(numa0, near)->basis, ContainsSubstring("GB/s in each direction"));
  CHECK_THAT(between(near, numa0)->busbw, WithinAbs(63, 0.5));
  REQUIRE(between(near, other));
  CHECK_THAT(between(near, other)->busbw, WithinAbs(450, 0.5));
  CHECK_THAT(between(near, other)->basis, ContainsSubstring("NV18: 450 GB/s in each direction"));
  CHECK_FALSE(between(numa0, numa1));
  CHECK_FALSE(between(near, near));
  CHECK_FALSE(between(near, place("0000:ff:00.0", 8)));
  // A GPU is known by its UUID too, the best first.
  CopyPlace by_uuid = near;
  by_uuid.memory.keys = {"GPU-nobody", "0000:1b:00.0"};
  CHECK(between(numa0, by_uuid));
}

TEST_CASE("GPUs without NVLink copy over PCIe") {
  const topo::Graph cards = machine("pcie_cards");
  std::vector<CopyPlace> found;
  for (const topo::Node& node : cards.nodes)
    if (node.kind == topo::Kind::gpu) found.push_back(place(node.key, static_cast<int>(found.size())));
  REQUIRE(found.size() >= 2);
  const auto expected = expected_copy(cards, "node", found[0], found[1]);
  REQUIRE(expected);
  CHECK(expected->busbw > 10);
  CHECK(expected->busbw < 130);
}
