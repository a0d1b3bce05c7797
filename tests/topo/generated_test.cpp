// Generated machines and fabrics: they hold together, nothing is found wrong with them, and they carry what their makers say.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "topo/check/check.hpp"
#include "topo/expect/expect.hpp"
#include "topo/fabric/fabric.hpp"
#include "topo/generate/generate.hpp"
#include "topo/layout/layout.hpp"
#include "topo/read/build.hpp"
#include "topo/read/sources.hpp"
#include "topo/write/formats.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

std::size_t count(const Graph& graph, Kind kind) {
  std::size_t all = 0;
  for (const Node& node : graph.nodes) all += node.kind == kind ? 1 : 0;
  return all;
}

// "" when no subtree of nodes is interrupted by others.
std::string out_of_order(const Graph& graph) {
  std::vector<std::string> above;
  for (const Node& node : graph.nodes) {
    while (!above.empty() && above.back() != node.parent) above.pop_back();
    if (above.empty() && !node.parent.empty()) return node.key;
    above.push_back(node.key);
  }
  return {};
}

std::string first_finding(const Graph& graph) {
  const Diagnosis diagnosis = diagnose(graph);
  return diagnosis.findings.empty() ? std::string() : to_text(diagnosis, 1);
}

}  // namespace

TEST_CASE("each kind that can be generated is whole, healthy, and comes back from its JSON", "[long]") {
  for (const GenerateKind& kind : generate_kinds()) {
    INFO(kind.name);
    const Graph graph = generate(kind.name, {});
    CHECK(inconsistency(graph).empty());
    CHECK(out_of_order(graph).empty());
    CHECK(first_finding(graph).empty());
    const std::string json = to_json(graph);
    CHECK(to_json(build({{"railgauge", "x.json", json}})) == json);
  }
}

TEST_CASE("a generated machine has the links that its maker names") {
  struct Row {
    const char* word;
    unsigned gpus;
    double inside;  // GB/s of a GPU to the others
    std::size_t nvswitches, nics;
  };
  for (const Row& row : {Row{"dgx-a100", 8, 300, 6, 8}, Row{"dgx-h100", 8, 450, 4, 8}, Row{"dgx-h200", 8, 450, 4, 8},
                         Row{"dgx-b200", 8, 900, 2, 8}, Row{"mi300x", 8, 7 * 64, 0, 8}, Row{"nvl72", 72, 900, 18, 72},
                         Row{"gb300-nvl72", 72, 900, 18, 72}, Row{"nvl72:racks=2", 144, 900, 36, 144}}) {
    INFO(row.word);
    const Graph graph = generate(row.word);
    CHECK(gpus_of(graph) == row.gpus);
    CHECK(count(graph, Kind::nvswitch) == row.nvswitches);
    CHECK(count(graph, Kind::nic) == row.nics);
    CHECK_THAT(team_of(graph, {row.gpus > 72 ? 72 : row.gpus, "", 0}).inside, WithinAbs(row.inside, 1e-9));
    CHECK(team_of(graph, {row.gpus, "", 0}).domains == (row.gpus + 71) / 72);
  }
}

TEST_CASE("the NIC of a GPU is beside it, and rails join NICs of one number") {
  const Graph graph = generate("rail:hosts=64");
  const ExpectedPath near = expected_path(graph, find_node(graph, "node01/gpu3"), find_node(graph, "node01/mlx5_3"));
  CHECK(near.path_class == "PIX");
  const View view(graph);
  const fabric::Fabric fabric = fabric::read_fabric(view);
  CHECK(fabric.rails == 8);
  for (const fabric::Host& host : fabric.hosts)
    for (const fabric::Uplink& up : host.uplinks) CHECK(fabric.switches[up.to].rail == up.rail);
  const Team team = team_of(graph, {512, "", 0});
  CHECK(team.domains == 64);
  CHECK_THAT(team.network, WithinAbs(50, 1e-9));
}

TEST_CASE("switches that reduce have an aggregation node each, and no check finds anything") {
  const Graph graph = generate("fat-tree:hosts=16,host=plain,radix=8,sharp=1");
  CHECK(count(graph, Kind::accelerator) == count(graph, Kind::fabric_switch));
  CHECK(first_finding(graph).empty());
  CHECK(inconsistency(graph).empty());
  CHECK(team_of(generate("rail:hosts=4,sharp=1"), {32, "", 0}).aggregation);
  CHECK(!team_of(generate("rail:hosts=4"), {32, "", 0}).aggregation);
}

TEST_CASE("a dragonfly is recognised, balanced, and each pair of groups is equally joined") {
  for (const char* word :
       {"dragonfly", "dragonfly:hosts=3", "dragonfly:hosts=2,groups=4", "dragonfly:hosts=2,routers=6,groups=7"}) {
    INFO(word);
    const Graph graph = generate(word);
    const View view(graph);
    const fabric::Fabric fabric = fabric::read_fabric(view);
    CHECK(fabric.shape == fabric::Shape::dragonfly);
    const fabric::GroupLinks links = fabric::links_of_groups(fabric);
    CHECK(links.as_usual == links.all());
    CHECK(first_finding(graph).empty());
  }
  CHECK(count(generate("dragonfly"), Kind::fabric_switch) == 36);              // a = 4, h = 2, 9 groups
  CHECK(count(generate("dragonfly:hosts=4"), Kind::fabric_switch) == 33 * 8);  // a = 8, h = 4
}

TEST_CASE("a torus is recognised with its sides") {
  for (const char* word : {"torus:x=4,y=3", "torus:x=4,y=4,z=4", "torus:x=5,y=3,z=3,hosts=2"}) {
    INFO(word);
    const Graph graph = generate(word);
    const View view(graph);
    const fabric::Fabric fabric = fabric::read_fabric(view);
    CHECK(fabric.shape == fabric::Shape::torus);
    CHECK(inconsistency(graph).empty());
  }
}

TEST_CASE("pictures of generated machines: processor links cross no device, and what stands in a rack is told of each machine") {
  for (const char* word : {"dgx-a100", "dgx-h100", "nvl72"}) {
    INFO(word);
    const Graph graph = generate(word);
    const Picture picture = lay_out(graph, diagnose(graph));
    unsigned links = 0;
    for (const Edge& edge : picture.edges) {
      if (edge.kind != LinkKind::cpu) continue;
      ++links;
      for (std::size_t i = 1; i < edge.bends.size(); ++i) {
        const Point& a = edge.bends[i - 1];
        const Point& b = edge.bends[i];
        CHECK((a.x == b.x || a.y == b.y));
        for (const Box& box : picture.boxes) {
          if (box.role == Role::frame) continue;
          CHECK_FALSE((std::min(a.x, b.x) < box.at.x + box.width && std::max(a.x, b.x) > box.at.x &&
                       std::min(a.y, b.y) < box.at.y + box.height && std::max(a.y, b.y) > box.at.y));
        }
      }
    }
    CHECK(links > 0);
  }
  const std::string rack = picture_svg(generate("nvl72"));
  CHECK_THAT(rack, ContainsSubstring("2 packages, 2 NUMA nodes, 4 GPUs, 4 NICs"));
  CHECK(rack.find("36 packages") == std::string::npos);
  CHECK(rack.find("NVSwit\u2026") == std::string::npos);
}

TEST_CASE("a word stands for its values, and for a file") {
  CHECK(generate_word("rail", {{"hosts", "8"}, {"radix", "32"}}) == "rail:hosts=8,radix=32");
  CHECK(to_json(generate("rail", {{"hosts", "8"}, {"radix", "32"}})) == to_json(generate(" rail:hosts=8,radix=32\n")));
  CHECK(is_generate_word("dgx-h100"));
  CHECK(is_generate_word("fat-tree:x"));
  for (const char* other : {"", "rails", "rail/hosts", "rail:hosts=8 radix=3", "fabric.out"})
    CHECK_FALSE(is_generate_word(other));
  const Scratch folder;
  fill(folder.path() / "generated.txt", "rail:hosts=8\n");
  CHECK(to_json(build(read_evidence(folder.path()))) == to_json(generate("rail:hosts=8")));
  CHECK(to_json(build(read_evidence("rail:hosts=8"))) == to_json(generate("rail:hosts=8")));
  const auto of_file = [&](const std::string& text) {
    fill(folder.path() / "other", text);
    return sentence([&] { static_cast<void>(build(read_evidence(folder.path() / "other"))); });
  };
  CHECK(of_file("rail:hosts=8\n") == "no error");
  CHECK_THAT(of_file("rail:hosts=8"), ContainsSubstring("other:1: the line of the word does not end: the file may be cut"));
  CHECK_THAT(of_file("rail:hosts=0\n"), ContainsSubstring("other:1: hosts 0: expected a whole number"));
  CHECK(sentence([] { static_cast<void>(build(read_evidence("rail:hosts=0"))); }).starts_with("hosts 0:"));
}

TEST_CASE("parameters that are none, or do not fit together, get one sentence") {
  const std::map<std::string, std::string> said{
      {"ring", "ring: nothing of this kind can be generated; there are fat-tree, rail, dragonfly"},
      {"dgx-h100:gpus=4", "dgx-h100 has no parameters, and gpus is given"},
      {"rail:racks=4", "rail has no parameter racks; there are hosts, rails"},
      {"rail:hosts=0", "hosts 0: expected a whole number from 1 to"},
      {"rail:hosts=8.5", "hosts 8.5: expected a whole number"},
      {"rail:hosts", "expected NAME=VALUE between commas"},
      {"rail:hosts=1,hosts=2", "hosts is there twice"},
      {"rail:rails=3", "rails 3: the 8 NICs of a dgx-h100 do not divide equally over them"},
      {"rail:rails=16", "rails 16: the 8 NICs of a dgx-h100 do not divide"},
      {"rail:host=dgx-h1000", "host dgx-h1000: there is no such model; there are dgx-a100"},
      {"rail:nics=4", "nics is for host plain: a dgx-h100 has 8 NICs"},
      {"rail:rate=5xNDR", "rate 5xNDR: expected lanes and speed"},
      {"rail:hosts=19,host=nvl72", "19 hosts do not fill racks: a rack of nvl72 has 18"},
      {"fat-tree:radix=4", "radix 4: a leaf needs 8 ports for each host, and has no room for one at 1:1"},
      {"fat-tree:oversubscribe=0.9", "oversubscribe 0.9: expected a number from 1"},
      {"fat-tree:oversubscribe=nan", "oversubscribe nan: expected a number from 1"},
      {"fat-tree:hosts=70000,host=plain", "70000 hosts are too many: three tiers of radix 64 hold 65536 at 1:1"},
      {"fat-tree:hosts=300,tiers=2",
       "300 hosts are too many: 2 tiers of radix 64 hold 256 at 1:1; choose a larger radix or more tiers"},
      {"fat-tree:hosts=262144", "262144 hosts with 8 GPUs are too many: one graph has at most 262144 GPUs, and as many NICs"},
      {"dragonfly:groups=10", "groups 10: each group has 8 links to others, so there can be 9 groups at most"},
      {"dragonfly:hosts=40", "radix 64: a router needs 159 ports, 40 to hosts, 79 to its group and 40 to other groups"},
      {"torus:x=256,y=256,z=256,hosts=256", "4294967296 hosts with 1 NIC are too many"},
  };
  for (const auto& [word, expected] : said) {
    INFO(word);
    CHECK_THAT(sentence([&, &word = word] { static_cast<void>(generate(word)); }), ContainsSubstring(expected));
  }
}
