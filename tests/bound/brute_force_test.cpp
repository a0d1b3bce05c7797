// Bounds against the greatest over all sets of vertices, on random graphs with and without switches.
#include <algorithm>
#include <bit>
#include <optional>
#include <random>
#include <vector>

#include "tests/test.hpp"
#include "topo/bound/bound.hpp"

using namespace railgauge;
using topo::Bound;
using topo::Bounds;
using topo::Fraction;
using topo::fraction;
using topo::Network;

namespace {

// At most 10 vertices, connected; links whose directions differ where `skewed`.
Network any_network(std::mt19937& random, bool skewed) {
  const auto below = [&](unsigned limit) { return static_cast<std::uint32_t>(random() % limit); };
  Network network;
  const std::uint32_t vertices = 2 + below(9);
  const std::uint32_t ranks = 2 + below(vertices - 1);
  for (std::uint32_t i = 0; i < vertices; ++i) network.vertices.push_back({i, -1});
  std::vector<std::uint32_t> order(vertices);
  for (std::uint32_t i = 0; i < vertices; ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);
  for (std::uint32_t i = 0; i < ranks; ++i) {
    network.vertices[order[i]].rank = static_cast<std::int32_t>(i);
    network.ranks.push_back(order[i]);
  }
  const std::uint64_t most = below(2) == 0 ? 4 : 100'000;
  const auto join = [&](std::uint32_t a, std::uint32_t b) {
    const std::size_t link = network.arcs.size() / 2;
    const std::uint64_t capacity = 1 + random() % most;
    network.arcs.push_back({a, b, capacity, link});
    network.arcs.push_back({b, a, skewed ? 1 + random() % most : capacity, link});
  };
  for (std::uint32_t i = 1; i < vertices; ++i) join(i, below(i));
  for (std::uint32_t extra = below(2 * vertices); extra > 0; --extra) {
    const std::uint32_t a = below(vertices);
    const std::uint32_t b = below(vertices);
    if (a != b) join(a, b);
  }
  return network;
}

struct Least {  // times for a megabyte of S
  Fraction all_gather, reduce_scatter, all_reduce, broadcast, reduce, all_to_all;
};

Least over_all_sets(const Network& network, std::uint32_t root) {
  Least worst;
  const std::uint64_t ranks = network.ranks.size();
  for (unsigned set = 1; set + 1 < 1U << network.vertices.size(); ++set) {
    std::uint64_t inside = 0;
    for (const std::uint32_t at : network.ranks) inside += set >> at & 1U;
    if (inside == 0 || inside == ranks) continue;
    std::uint64_t out = 0, into = 0;
    for (const topo::Arc& arc : network.arcs) {
      const bool from = (set >> arc.from & 1U) != 0;
      const bool to = (set >> arc.to & 1U) != 0;
      if (from && !to) out += arc.capacity;
      if (!from && to) into += arc.capacity;
    }
    const auto raise = [](Fraction& to, const Fraction& time) { to = std::max(to, time); };
    raise(worst.all_gather, fraction(inside, ranks * out));
    raise(worst.reduce_scatter, fraction(inside, ranks * into));
    raise(worst.all_reduce, fraction(1, out));
    raise(worst.all_to_all, fraction(inside * (ranks - inside), ranks * out));
    if ((set >> network.ranks[root] & 1U) != 0) {
      raise(worst.broadcast, fraction(1, out));
      raise(worst.reduce, fraction(1, into));
    }
  }
  worst.all_reduce = std::max({worst.all_reduce, worst.all_gather, worst.reduce_scatter});
  return worst;
}

// What the links of a cut carry in its direction.
std::uint64_t carried(const Network& network, const topo::Cut& cut) {
  std::uint64_t one = 0, other = 0;
  for (const topo::Arc& arc : network.arcs) {
    if (!std::binary_search(cut.links.begin(), cut.links.end(), arc.link)) continue;
    (&arc - network.arcs.data()) % 2 == 0 ? one += arc.capacity : other += arc.capacity;
  }
  return std::max(one, other);
}

}  // namespace

TEST_CASE("bound: 500 random graphs of up to 10 vertices, against every set of vertices") {
  constexpr unsigned seed = 260;
  std::mt19937 random(seed);
  for (int round = 0; round < 500; ++round) {
    const bool skewed = round % 2 == 1;
    const Network network = any_network(random, skewed);
    const auto root = static_cast<std::uint32_t>(random() % network.ranks.size());
    const Least worst = over_all_sets(network, root);
    INFO("seed " << seed << ", round " << round << ", " << network.vertices.size() << " vertices, " << network.ranks.size()
                 << " ranks");
    Bounds bounds(network);
    CHECK(bounds.of(Collective::all_gather).time == worst.all_gather);
    CHECK(bounds.of(Collective::reduce_scatter).time == worst.reduce_scatter);
    CHECK(bounds.of(Collective::all_reduce).time == worst.all_reduce);
    CHECK(bounds.of(Collective::broadcast, root).time == worst.broadcast);
    CHECK(bounds.of(Collective::reduce, root).time == worst.reduce);
    CHECK(bounds.of(Collective::all_to_all).time == worst.all_to_all);
    for (const Collective collective : {Collective::all_gather, Collective::broadcast, Collective::all_to_all}) {
      const Bound bound = bounds.of(collective);
      CHECK(!bound.cut.ranks.empty());
      CHECK(2 * bound.cut.ranks.size() <= network.ranks.size());
      if (!skewed) CHECK(carried(network, bound.cut) >= bound.cut.capacity);
    }
  }
}
