// Generated trees of any size: cables and ports are counted again, without what planned them.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "tests/test.hpp"
#include "tests/topo/machines.hpp"
#include "topo/check/check.hpp"
#include "topo/fabric/fabric.hpp"
#include "topo/generate/generate.hpp"

using namespace railgauge;
using namespace railgauge::topo;
using namespace railgauge::test;

namespace {

struct Draw {
  std::string kind;
  GenerateValues values;
  unsigned radix, nics, rails;
  double ratio;
};

Draw draw(std::mt19937& random) {
  const auto one_of = [&](std::vector<unsigned> from) { return from[random() % from.size()]; };
  Draw it;
  it.kind = random() % 2 == 0 ? "rail" : "fat-tree";
  it.nics = one_of({1, 2, 4});
  it.rails = it.kind == "rail" ? it.nics : 1;
  it.radix = one_of({4, 8, 12, 16, 36});
  it.ratio = std::vector{1.0, 1.5, 2.0, 3.0}[random() % 4];
  it.values = {
      {"host", "plain"},
      {"nics", std::to_string(it.nics)},
      {"hosts", std::to_string(random() % 2 == 0 ? 1 + random() % 150 : one_of({4, 8, 12, 16, 24, 32, 36, 48, 64, 72, 96, 144}))},
      {"radix", std::to_string(it.radix)},
      {"oversubscribe", fmt::format("{}", it.ratio)}};
  return it;
}

// Whether all machines reach each other over links between tiers.
bool joined(const Graph& graph) {
  const View view(graph);
  std::vector<bool> seen(graph.nodes.size());
  std::vector<std::size_t> open;
  const auto visit = [&](std::size_t node) {
    if (node == View::none || seen[node]) return;
    seen[node] = true;
    open.push_back(node);
  };
  visit(0);
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    visit(view.parent(node));
    for (const std::size_t child : view.children(node)) visit(child);
    for (const std::size_t link : view.links(node)) visit(view.other_end(link, node));
  }
  return std::find(seen.begin(), seen.end(), false) == seen.end();
}

void examine(const Draw& it, const Graph& graph) {
  const View view(graph);
  CHECK(inconsistency(graph).empty());
  CHECK(joined(graph));
  std::map<std::string, std::set<unsigned>> ports;  // in use, of each switch
  std::map<std::string, unsigned> down, up;         // links of each leaf
  std::map<std::string, unsigned> cables;           // of each port of a NIC
  for (const Link& link : graph.links) {
    if (!is_cable(link.kind)) continue;
    CHECK(ports[link.b].insert(link.b_port).second);
    if (view.node(view.place(link.a)).kind == Kind::port) {
      ++cables[link.a];
      ++down[link.b];
    } else {
      CHECK(ports[link.a].insert(link.a_port).second);
      ++up[link.a];
    }
  }
  for (const Node& node : graph.nodes)
    if (node.kind == Kind::port) CHECK(cables[node.key] == 1);
  for (const auto& [key, used] : ports) {
    CHECK(used.size() <= it.radix);
    CHECK(*used.rbegin() == used.size());
    CHECK(number_of(view.node(view.place(key)).attributes, "ports") == used.size());
  }
  std::set<unsigned> downs;
  for (const auto& [leaf, links] : down) {
    downs.insert(links);
    if (up.contains(leaf)) CHECK(up[leaf] == static_cast<unsigned>(std::ceil(links / it.ratio - 1e-6)));
  }
  CHECK(downs.size() == 1);
  for (const Finding& finding : check(graph)) CHECK(finding.rule == "oversubscribed");
  const fabric::Fabric fabric = fabric::read_fabric(view);
  for (const fabric::Host& host : fabric.hosts) {
    std::set<std::uint32_t> leaves;
    for (const fabric::Uplink& uplink : host.uplinks) leaves.insert(uplink.to);
    CHECK(leaves.size() == it.rails);
  }
}

}  // namespace

TEST_CASE("trees of any size: equal leaves, no port twice, the oversubscription that was asked for, and all hosts joined") {
  const unsigned seed = std::random_device()();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  unsigned made = 0;
  for (unsigned i = 0; i < 120; ++i) {
    const Draw it = draw(random);
    const std::string word = generate_word(it.kind, it.values);
    INFO(word);
    Graph graph;
    std::string said;
    try {
      graph = generate(it.kind, it.values);
    } catch (const Error& error) { said = error.what(); }
    if (said.empty()) {
      ++made;
      examine(it, graph);
      continue;
    }
    INFO(said);
    // The numbers of hosts that the sentence names do divide.
    std::smatch found;
    if (!std::regex_search(said, found, std::regex("choose ([0-9]+) hosts(?: or ([0-9]+))?$"))) {
      CHECK_THAT(said, ContainsSubstring("choose a larger radix") || ContainsSubstring("choose another radix"));
      continue;
    }
    for (std::size_t k = 1; k < found.size(); ++k) {
      if (!found[k].matched) continue;
      GenerateValues other = it.values;
      other["hosts"] = found[k];
      CHECK_NOTHROW(generate(it.kind, other));
    }
  }
  CHECK(made > 20);
}

TEST_CASE("16,384 GPUs on eight rails are 512 leaves, 512 spines and 256 cores of 64 ports, all in use", "[long]") {
  const Graph graph = generate("rail:hosts=2048");
  std::map<std::string, unsigned> switches;  // by the first word of their names
  for (const Node& node : graph.nodes)
    if (node.kind == Kind::fabric_switch) {
      ++switches[node.name.substr(0, node.name.find('-'))];
      CHECK(number_of(node.attributes, "ports") == 64);
    }
  CHECK(switches == std::map<std::string, unsigned>{{"leaf", 512}, {"spine", 512}, {"core", 256}});
}
