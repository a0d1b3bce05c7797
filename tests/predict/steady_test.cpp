// What is costed by patterns equals the full simulation wherever it says so, on random clusters, for every algorithm.
#include "bench/predict/rounds/steady.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

#include "bench/predict/rounds/pattern.hpp"
#include "bench/predict/rounds/simulate.hpp"
#include "tests/predict/clusters.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "topo/network/network.hpp"

namespace railgauge::test {
namespace {

using namespace railgauge::predict;

class Trial {
 public:
  Trial(const topo::Graph& graph, unsigned ranks, unsigned per_node, bool adaptive)
      : network_(topo::network_of(graph, {ranks, {}})),
        incidence_(graph, network_),
        routes_(incidence_, {adaptive ? predict::RoutingKind::adaptive : predict::RoutingKind::ecmp, 3}) {
    for (const topo::Arc& arc : network_.arcs) capacities_.push_back(static_cast<double>(arc.capacity) * 1e6);
    shape_.ranks = static_cast<std::int32_t>(network_.ranks.size());
    shape_.ranks_per_node = static_cast<std::int32_t>(per_node);
  }

  struct Times {
    double full = 0, fast = 0;
    Method method = Method::events;
    bool regular = false, independent = false;
  };
  Times times(const Algorithm& algorithm, std::uint64_t elements, const Costs& costs) {
    const Sampled sampled = sample_steps(algorithm, shape_, shape_.ranks);
    std::vector<Sizes> sizes;
    Shape each = shape_;
    for (each.rank = 0; each.rank < shape_.ranks; ++each.rank)
      sizes.emplace_back(algorithm.collective, each, sampled.steps.front().blocks,
                         used_elements(algorithm.collective, shape_.ranks, elements), 4);
    Times it;
    const Simulated full = simulate(sampled.steps, sizes, routes_, costs, capacities_);
    it.full = full.seconds;
    const std::optional<Regular> regular =
        algorithm.collective == Collective::all_to_all_v ? std::nullopt : find_peers(sampled, shape_);  // blocks differ
    it.regular = regular.has_value();
    if (!regular) return it;
    std::vector<RoundBytes> bytes;
    for (const Stretch& stretch : regular->stretches) bytes.push_back(bytes_of(sampled, stretch, sizes));
    Steady steady(*regular, shape_.ranks, routes_, costs, capacities_);
    const Estimate estimate = steady.estimate(bytes);
    it.fast = estimate.seconds;
    it.method = estimate.method;
    it.independent = steady.independent(bytes);
    // The same bytes on every arc, whatever the time is.
    const std::vector<double> carried = steady.carried(bytes);
    for (std::size_t arc = 0; arc < carried.size(); ++arc)
      REQUIRE_THAT(carried[arc], WithinAbs(full.carried[arc], 1e-6 * full.carried[arc] + 1e-6));
    return it;
  }
  [[nodiscard]] const Shape& shape() const { return shape_; }

 private:
  topo::Network network_;
  Incidence incidence_;
  Routes routes_;
  std::vector<double> capacities_;
  Shape shape_;
};

constexpr Costs costs = {.gpu_links = 2e-6,
                         .pcie = 3e-6,
                         .network = 4e-6,
                         .hop = 1e-7,
                         .gap = 7e-8,
                         .memory = 1e12,
                         .handshakes = {{{4096, 1e-6}, {1e5, 4e-6}, {8192, 3e-6}}}};

}  // namespace

TEST_CASE("a ring on equal links takes 2 (n - 1) rounds of a message each") {
  const topo::Graph graph = cluster_graph({.machines = 8, .gpus = 0, .leaf_machines = 8});
  Trial trial(graph, 0, 1, true);
  const Costs plain = {.network = 4e-6};
  const Trial::Times it = trial.times(*find_algorithm(Collective::all_reduce, "ring"), 8 << 20U, plain);
  const double expected = 14 * (4e-6 + 4.0 * (1U << 20U) / 50e9);
  CHECK_THAT(it.full / expected, WithinAbs(1, 1e-9));
  CHECK_THAT(it.fast / expected, WithinAbs(1, 1e-9));
  CHECK(it.independent);
}

TEST_CASE("patterns equal the full simulation where no transfer slows another", "[long]") {
  const unsigned seed = 16'384;
  std::mt19937 random(seed);
  const auto whole = [&](unsigned least, unsigned most) { return std::uniform_int_distribution<unsigned>(least, most)(random); };
  std::size_t by_paths = 0;
  std::size_t of_hierarchical = 0;
  std::vector<double> in_step, in_step_eager;
  const int rounds = usual_or_thorough(20, 60);
  for (int round = 0; round < rounds; ++round) {
    Cluster drawn;
    drawn.machines = whole(2, 6);
    drawn.gpus = whole(0, 4);
    drawn.leaf_machines = whole(1, 4);
    drawn.spines = whole(1, 5);
    drawn.rails = whole(0, 1) == 0;
    drawn.uplink = whole(0, 2) == 0 ? 20 : 200;
    topo::Graph graph = cluster_graph(drawn);
    for (unsigned slow = whole(0, 2); slow > 0; --slow) {
      topo::Link& link = graph.links[whole(0, static_cast<unsigned>(graph.links.size()) - 1)];
      link.bandwidth.line = link.bandwidth.nominal = link.bandwidth.nominal / whole(2, 10);
    }
    Trial trial(graph, 0, std::max(1U, drawn.gpus), whole(0, 3) != 0);
    const auto ranks = static_cast<std::uint64_t>(trial.shape().ranks);
    for (const Algorithm& algorithm : catalog()) {
      if (!algorithm.refusal(trial.shape()).empty()) continue;
      CAPTURE(seed, round, algorithm.name, name(algorithm.collective), ranks);
      // A multiple of every number of blocks: those of ring broadcast are 4 (n - 1).
      Costs its = costs;
      const double largest = std::array{-1.0, 2e4, std::numeric_limits<double>::infinity()}[static_cast<std::size_t>(round) % 3];
      its.eager = {largest, largest, largest};
      const Trial::Times it = trial.times(algorithm, ranks * (ranks > 1 ? ranks - 1 : 1) * 4 * whole(1, 200), its);
      CHECK(it.full > 0);
      if (!it.regular) continue;
      if (it.method == Method::in_step) {  // an approximation, of which docs/prediction.md says how good it is
        (largest < 0 ? in_step : in_step_eager).push_back(it.fast / it.full);
        continue;
      }
      REQUIRE_THAT(it.fast / it.full, WithinAbs(1, 1e-9));
      ++by_paths;
      if (algorithm.name == "hierarchical") ++of_hierarchical;
    }
  }
  for (std::vector<double>* const ratios : {&in_step, &in_step_eager}) {
    std::sort(ratios->begin(), ratios->end());
    REQUIRE_FALSE(ratios->empty());
    std::printf("in_step over events%s: %zu cases, %.3f to %.3f, median %.3f\n", ratios == &in_step ? "" : ", eager messages",
                ratios->size(), ratios->front(), ratios->back(), (*ratios)[ratios->size() / 2]);
    CHECK(ratios->front() > 0.9);
    CHECK(ratios->back() < (ratios == &in_step ? 1.2 : 1.5));
  }
  CHECK(by_paths > 4 * static_cast<std::size_t>(rounds));
  CHECK(of_hierarchical > static_cast<std::size_t>(rounds / 12));
}

TEST_CASE("an eager message takes of the receiver's link while the receiver is in the round before") {
  // Of four hosts one has a link of a tenth. By halving and doubling it exchanges a half, a quarter, a quarter and a half with
  // two others, who have the same between each other first: what these send early halves the rate of the round before.
  topo::Graph graph = cluster_graph({.machines = 4, .gpus = 0, .leaf_machines = 4, .spines = 0});
  link_between(graph, "m2/nic0", "leaf0.0").bandwidth = {5, 5, 0};
  constexpr std::uint64_t elements = 1 << 22;
  const double slow = 4.0 * elements / 5e9;  // of all data over that link
  const auto took = [&](const char* algorithm, double eager) {
    Trial trial(graph, 0, 1, true);
    const Costs costs = {.eager = {eager, eager, eager}};
    return trial.times(*find_algorithm(Collective::all_reduce, algorithm), elements, costs).full / slow;
  };
  const double all = std::numeric_limits<double>::infinity();
  CHECK_THAT(took("halving_doubling", -1), WithinAbs(1.5, 1e-9));
  CHECK(took("halving_doubling", all) > 1.8);
  CHECK(took("halving_doubling", all) < 2.0 + 1e-9);
  // Each rank of a ring is sent to by one other, and waits for what it sends on.
  CHECK_THAT(took("ring", -1), WithinAbs(1.5, 1e-9));
  CHECK_THAT(took("ring", all), WithinAbs(1.5, 1e-9));
}

TEST_CASE("where no transfer slows another, eager messages cost no algorithm time") {
  topo::Graph graph = cluster_graph({.machines = 6, .gpus = 0, .leaf_machines = 6, .spines = 0});
  link_between(graph, "m2/nic0", "leaf0.0").bandwidth = {5, 5, 0};
  const double all = std::numeric_limits<double>::infinity();
  std::size_t compared = 0;
  for (const Algorithm& algorithm : catalog()) {
    Trial trial(graph, 0, 1, true);
    if (!algorithm.refusal(trial.shape()).empty()) continue;
    CAPTURE(algorithm.name, name(algorithm.collective));
    const Costs rendezvous = {.network = 4e-6};
    const Costs eager = {.network = 4e-6, .eager = {all, all, all}};
    const Trial::Times early = trial.times(algorithm, 6 * 5 * 4 * 1000, eager);
    if (!early.independent) continue;
    const double waits = trial.times(algorithm, 6 * 5 * 4 * 1000, rendezvous).full;
    CHECK(early.full <= waits * (1 + 1e-9));
    ++compared;
  }
  CHECK(compared >= 5);
}

TEST_CASE("an eager message pays no handshake, whatever was measured of larger ones") {
  Costs costs = {.handshakes = {{{4096, 1e-6}, {4096, 1e-6}, {4096, 1e-6}}}};
  CHECK(costs.handshake(Medium::network, 8192) == 1e-6);
  costs.eager = {-1, -1, 16384};
  CHECK(costs.handshake(Medium::network, 8192) == 0);
  CHECK(costs.handshake(Medium::network, 32768) == 1e-6);
  CHECK(costs.handshake(Medium::pcie, 8192) == 1e-6);
}

TEST_CASE("a sample of the ranks finds the pattern that all have") {
  for (const std::int32_t ranks : {16, 24, 64})
    for (const Algorithm& algorithm : catalog()) {
      Shape shape;
      shape.ranks = ranks;
      shape.ranks_per_node = 8;
      if (!algorithm.refusal(shape).empty()) continue;
      CAPTURE(ranks, algorithm.name, name(algorithm.collective));
      const auto of_all = find_peers(sample_steps(algorithm, shape, ranks), shape);
      const auto of_some = find_peers(sample_steps(algorithm, shape, 1), shape);
      REQUIRE(of_all.has_value() == of_some.has_value());
      if (of_all) CHECK(of_all->patterns == of_some->patterns);
    }
}

}  // namespace railgauge::test
