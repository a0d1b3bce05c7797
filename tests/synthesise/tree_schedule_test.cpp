// Schedules along trees, proved on rings, switches, a machine with rails, and random graphs.
#include "bench/synthesise/tree_schedule.hpp"

#include <random>
#include <string>
#include <vector>

#include "bench/schedule/verify/verify.hpp"
#include "tests/bound/wired.hpp"
#include "tests/test.hpp"

using namespace railgauge;
using namespace railgauge::test;

namespace {

constexpr Collective collectives[] = {Collective::all_gather, Collective::reduce_scatter, Collective::all_reduce,
                                      Collective::broadcast, Collective::reduce};

// Proves the schedules of all collectives, apart and in place.
void prove(const topo::Graph& graph, std::int32_t root, std::uint32_t chunks) {
  const topo::Network network = topo::network_of(graph, {});
  const auto ranks = static_cast<std::int32_t>(network.ranks.size());
  const topo::Forest all = topo::forest_of(network, {-1, 4});
  const topo::Forest one = topo::forest_of(network, {root, 4});
  for (const Collective collective : collectives) {
    const topo::Forest& forest = row(collective).rooted ? one : all;
    const std::vector<Schedule> schedules = tree_schedules(collective, forest, ranks, chunks);
    REQUIRE(schedules.size() == network.ranks.size());
    const std::size_t rounds = chunks + forest.height() - 1;
    CHECK(schedules[0].rounds.size() == (collective == Collective::all_reduce ? 2 * rounds : rounds));
    for (const bool in_place : {false, true}) {
      Shape shape;
      shape.ranks = ranks;
      shape.root = root;
      VerifyOptions options;
      options.in_place = in_place;
      INFO(name(collective) << ", " << ranks << " ranks, root " << root << ", " << chunks << " chunks, in place " << in_place);
      const Findings findings = verify(collective, schedules, shape, options);
      CHECK((findings.empty() ? "" : findings.front()) == "");
    }
  }
}

}  // namespace

TEST_CASE("tree schedules: proved on a ring, a slow ring, a switch, and two machines with rails") {
  prove(wired(4, 0, {{0, 1, 10}, {1, 2, 10}, {2, 3, 10}, {3, 0, 10}}), 0, 3);
  prove(wired(4, 0, {{0, 1, 10}, {1, 2, 10}, {2, 3, 10}, {3, 0, 1}}), 2, 1);
  prove(wired(5, 1, {{0, 5, 25}, {1, 5, 25}, {2, 5, 5}, {3, 5, 25}, {4, 5, 25}}), 4, 2);
  std::vector<Wire> wires;
  for (unsigned rank = 0; rank < 8; ++rank) {
    wires.push_back({rank, 8 + rank / 4, 450});
    wires.push_back({rank, 10 + rank % 4, 50});
  }
  prove(wired(8, 6, wires), 5, 4);
}

TEST_CASE("tree schedules: proved on random graphs") {
  constexpr unsigned seed = 2402;
  std::mt19937 random(seed);
  for (int round = 0; round < 25; ++round) {
    const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
    const unsigned ranks = 2 + below(7);
    const unsigned switches = below(4);
    std::vector<Wire> wires;
    for (unsigned i = 1; i < ranks + switches; ++i) wires.push_back({below(i), i, 1.0 + below(4)});
    for (unsigned extra = below(10); extra > 0; --extra) {
      const unsigned a = below(ranks + switches);
      const unsigned b = below(ranks + switches);
      if (a != b) wires.push_back({a, b, 1.0 + below(4)});
    }
    INFO("seed " << seed << ", round " << round);
    prove(wired(ranks, switches, wires), static_cast<std::int32_t>(below(ranks)), 1 + below(4));
  }
}
