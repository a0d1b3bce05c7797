// Maximum flows, against Boost's, from nothing and from the residual of another flow.
#include "topo/bound/flow.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <random>
#include <vector>

#include "tests/test.hpp"

using railgauge::topo::Flow;

namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using BoostGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property,
                          boost::property<boost::edge_capacity_t, std::int64_t,
                                          boost::property<boost::edge_residual_capacity_t, std::int64_t,
                                                          boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;

struct Edge {
  std::uint32_t a, b;
  std::int64_t forward, back;
};

std::int64_t by_boost(std::uint32_t vertices, const std::vector<Edge>& edges, std::uint32_t from, std::uint32_t to) {
  BoostGraph graph(vertices);
  const auto capacities = boost::get(boost::edge_capacity, graph);
  const auto reverses = boost::get(boost::edge_reverse, graph);
  const auto add = [&](std::uint32_t a, std::uint32_t b, std::int64_t capacity) {  // Boost wants empty reverse edges
    const auto forward = boost::add_edge(a, b, graph).first;
    const auto back = boost::add_edge(b, a, graph).first;
    capacities[forward] = capacity;
    capacities[back] = 0;
    reverses[forward] = back;
    reverses[back] = forward;
  };
  for (const Edge& edge : edges) {
    add(edge.a, edge.b, edge.forward);
    add(edge.b, edge.a, edge.back);
  }
  return boost::push_relabel_max_flow(graph, from, to);
}

}  // namespace

TEST_CASE("flow: as much as Boost's, and what was pushed can be pushed back") {
  constexpr unsigned seed = 1970;
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
    const std::uint32_t vertices = 2 + below(14);
    std::vector<Edge> edges;
    for (std::uint32_t n = below(4 * vertices); n > 0; --n) {
      const Edge edge{below(vertices), below(vertices), below(round % 2 == 0 ? 4 : 1000), below(3)};
      if (edge.a != edge.b) edges.push_back(edge);
    }
    const std::uint32_t from = below(vertices);
    const std::uint32_t to = (from + 1 + below(vertices - 1)) % vertices;
    Flow flow(vertices);
    for (const Edge& edge : edges) flow.set(flow.add(edge.a, edge.b), edge.forward, edge.back);
    const std::int64_t all = flow.push(from, to);
    INFO("seed " << seed << ", round " << round);
    CHECK(all == by_boost(vertices, edges, from, to));
    const std::vector<bool> reached = flow.reachable(from);
    CHECK(!reached[to]);
    std::int64_t cut = 0;
    for (const Edge& edge : edges)
      if (reached[edge.a] != reached[edge.b]) cut += reached[edge.a] ? edge.forward : edge.back;
    CHECK(cut == all);
    CHECK(flow.push(to, from) == all + by_boost(vertices, edges, to, from));
  }
}
