// Clusters of tens of thousands of ranks: what is too large to simulate is predicted by patterns, and is what the formula says.
#include <cstdio>
#include <ctime>

#include "bench/predict/predict.hpp"
#include "tests/predict/clusters.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"

namespace railgauge::test {
namespace {

using namespace railgauge::predict;

// Units of 32 machines with 8 GPUs below 8 leaves, pods of 8 units below 32 spines, 32 cores above each spine.
Cluster three_tiers(unsigned machines) {
  return {.machines = machines, .gpus = 8, .leaf_machines = 32, .spines = 32, .pod_leaves = 64, .cores = 32};
}

Answer ask(const topo::Graph& graph, std::vector<std::string> algorithms, std::uint64_t bytes) {
  Question question;
  question.algorithms = std::move(algorithms);
  question.sizes = {bytes};
  const std::clock_t begin = std::clock();
  Answer answer = predict::predict(graph, question);
  std::printf("%u ranks: %.2f s of a processor\n", answer.ranks, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  return answer;
}

}  // namespace

TEST_CASE("ring and hierarchical all-reduce of thousands of GPUs on three tiers take what their rounds take") {
  // 4,096 ranks; in ci/full 16,384 and 100,096, whose time the table of docs/prediction.md has.
  const unsigned machines = thorough() ? GENERATE(2048U, 12'512U) : 512U;
  const topo::Graph graph = cluster_graph(three_tiers(machines));
  const Answer answer = ask(graph, {"ring", "hierarchical"}, std::uint64_t{machines} * 8 * 65'536);
  const double ranks = machines * 8.0;
  const auto bytes = static_cast<double>(answer.columns[0].predictions[0].bytes);
  const Costs costs = answer.costs;
  REQUIRE(answer.columns.size() == 2);
  // Every round is as long as a message over all three tiers: five switches.
  const double ring_round = costs.network + 4 * costs.hop + bytes / ranks / 50e9;
  CHECK(answer.columns[0].predictions[0].method == Method::paths);
  CHECK_THAT(answer.columns[0].predictions[0].seconds / (2 * (ranks - 1) * ring_round), WithinAbs(1, 1e-9));
  const double within = 14 * (costs.gpu_links + bytes / 8 / 450e9);
  const double between = 2 * (machines - 1) * ring_round;
  CHECK(answer.columns[1].predictions[0].method == Method::paths);
  CHECK_THAT(answer.columns[1].predictions[0].seconds / (within + between), WithinAbs(1, 1e-9));
  CHECK(answer.columns[1].predictions[0].best);
}

}  // namespace railgauge::test
