// Schedules of files and those that are synthesised: as the catalog's they are costed, and they come near to the bound.
#include <cstdio>
#include <random>

#include "bench/predict/costing.hpp"
#include "bench/predict/predict.hpp"
#include "bench/schedule/algorithms/catalog.hpp"
#include "bench/synthesise/tree_schedule.hpp"
#include "tests/bound/wired.hpp"
#include "tests/predict/clusters.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "topo/bound/bound.hpp"
#include "topo/network/network.hpp"
#include "topo/trees/trees.hpp"

namespace railgauge::test {
namespace {

using namespace railgauge::predict;

// GPUs, each on one of some switches, which links of several speeds join.
topo::Graph below_switches(std::mt19937& random, unsigned most_gpus) {
  const auto below = [&](unsigned limit) { return static_cast<unsigned>(random() % limit); };
  const auto one_of = [&](std::initializer_list<double> values) { return values.begin()[random() % values.size()]; };
  const unsigned gpus = 2 + below(most_gpus - 1);
  const unsigned switches = 1 + below(6);
  std::vector<Wire> wires;
  for (unsigned i = 1; i < switches; ++i) wires.push_back({gpus + below(i), gpus + i, one_of({10, 25, 50, 100})});
  for (unsigned i = 0; i < gpus; ++i) wires.push_back({i, gpus + below(switches), one_of({10, 25, 50})});
  return wired(gpus, switches, wires);
}

}  // namespace

TEST_CASE("synthesised schedules reach 0.98 of what trees can on random graphs of GPUs below switches") {
  const std::uint32_t seeds = sanitized ? 1 : usual_or_thorough(4U, 200U);
  const unsigned gpus = usual_or_thorough(12U, 32U);
  double least = 1;
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    std::mt19937 random(seed);
    const topo::Graph graph = below_switches(random, gpus);
    const topo::Network network = topo::network_of(graph, {});
    for (const Collective collective : {Collective::all_gather, Collective::all_reduce}) {
      Question question;
      question.collective = collective;
      question.algorithms = {"synthesised"};
      question.sizes = {std::uint64_t{1} << 36U};
      const Prediction it = predict::predict(graph, question).columns.front().predictions.front();
      const topo::Bound bound = topo::Bounds(network).of(collective);
      const double reached = it.busbw / bound.reached_busbw();
      INFO("seed " << seed << ", " << name(collective) << " of " << network.ranks.size() << " ranks in " << it.chunks
                   << " chunks");
      CHECK(reached >= 0.98);
      CHECK(reached <= 1 + 1e-9);
      CHECK_THAT(it.of_bound, WithinAbs(it.busbw / bound.busbw(), 1e-9));
      least = std::min(least, reached);
    }
  }
  std::printf("%u graphs, at least %.4f\n", seeds, least);
}

TEST_CASE("a pipeline that is continued takes what its full simulation takes") {
  unsigned continued = 0;
  for (std::uint32_t seed = 1; seed <= usual_or_thorough(12U, 100U) && continued < usual_or_thorough(2U, 40U); ++seed) {
    std::mt19937 random(seed);
    const topo::Graph graph = below_switches(random, usual_or_thorough(10U, 24U));
    Question question;
    question.collective = Collective::all_gather;
    question.algorithms = {"synthesised"};
    question.sizes = {std::uint64_t{1} << 26U};
    const Column column = predict::predict(graph, question).columns.front();
    const Prediction& it = column.predictions.front();
    if (it.method != Method::continued) continue;  // as low trees need few chunks
    ++continued;
    INFO("seed " << seed << ", " << it.chunks << " chunks");
    const Links links(graph, question);
    const Costing costing(links, question);
    const topo::Forest forest = topo::forest_of(costing.network(), {-1, 8});
    CHECK(forest.trees == column.trees);
    StoredSchedules schedules{0, tree_schedules(question.collective, forest, costing.shape().ranks, it.chunks)};
    Algorithm algorithm{};
    algorithm.collective = question.collective;
    algorithm.stored = &schedules;
    const Costed costed = costing.cost(algorithm, {costing.elements(question.sizes.front())});
    REQUIRE(costed.refusal.empty());
    CHECK_THAT(it.seconds / costed.drawn.front().seconds.front(), WithinAbs(1, 0.01));
  }
  CHECK(continued != 0);
}

TEST_CASE("schedules of a file are costed as those of the catalog that they are copies of") {
  const topo::Graph graph = cluster_graph({.machines = 3, .gpus = 2});
  for (const std::string_view named : {"ring", "bruck"}) {
    Question question;
    question.collective = Collective::all_gather;
    const Links links(graph, question);
    const Costing costing(links, question);
    const Algorithm* const algorithm = find_algorithm(question.collective, named);
    REQUIRE(algorithm != nullptr);
    StoredSchedules schedules;
    Shape shape = costing.shape();
    for (shape.rank = 0; shape.rank < shape.ranks; ++shape.rank) schedules.ranks.push_back(algorithm->build(shape));
    Algorithm stored = *algorithm;
    stored.stored = &schedules;
    const Costed one = costing.cost(*algorithm, {1 << 10, 1 << 22});
    const Costed other = costing.cost(stored, {1 << 10, 1 << 22});
    REQUIRE(other.refusal.empty());
    for (std::size_t size = 0; size < 2; ++size) CHECK(one.drawn[size].seconds == other.drawn[size].seconds);
    schedules.ranks.pop_back();
    CHECK(costing.cost(stored, {1 << 10}).refusal.find("for 5 ranks") != std::string::npos);
  }
}

}  // namespace railgauge::test
