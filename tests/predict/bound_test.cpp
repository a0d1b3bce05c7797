// No algorithm is predicted to be faster than the bound of the links.
#include <random>

#include "bench/predict/predict.hpp"
#include "tests/predict/clusters.hpp"
#include "tests/test.hpp"
#include "tests/thorough.hpp"
#include "topo/bound/bound.hpp"
#include "topo/network/network.hpp"

namespace railgauge::test {
namespace {

using namespace railgauge::predict;

Cluster any_cluster(std::mt19937& random) {
  const auto draw = [&](unsigned count) { return static_cast<unsigned>(random() % count); };
  const auto one_of = [&](std::initializer_list<double> values) { return values.begin()[random() % values.size()]; };
  Cluster cluster;
  cluster.gpus = static_cast<unsigned>(one_of({0, 1, 2, 4}));
  cluster.machines = 2 + draw(6);
  cluster.leaf_machines = 1 + draw(4);
  cluster.spines = 1 + draw(3);
  cluster.rails = draw(2) == 0;
  cluster.nvlink = one_of({0, 100, 450});
  cluster.cable = one_of({12.5, 25, 50});
  cluster.uplink = one_of({12.5, 50, 200});
  return cluster;
}

}  // namespace

TEST_CASE("no algorithm is predicted to be faster than any algorithm can be on these links") {
  std::size_t compared = 0;
  const std::uint32_t seeds = usual_or_thorough(15U, 200U);
  for (std::uint32_t seed = 1; seed <= seeds; ++seed) {
    std::mt19937 random(seed);
    const topo::Graph graph = cluster_graph(any_cluster(random));
    const topo::Network network = topo::network_of(graph, {});
    if (network.ranks.size() < 2) continue;
    topo::Bounds bounds(network);
    for (const Collective collective : {Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
                                        Collective::broadcast, Collective::reduce, Collective::all_to_all}) {
      const topo::Bound bound = bounds.of(collective);
      Question question;
      question.collective = collective;
      question.sizes = {1 << 16, 1 << 26};
      question.routing = seed % 2 == 0 ? predict::RoutingKind::adaptive : predict::RoutingKind::ecmp;
      question.draws = 1;
      for (const Column& column : predict::predict(graph, question).columns)
        for (const Prediction& prediction : column.predictions) {
          INFO("seed " << seed << ", " << name(collective) << " " << column.algorithm << ", " << prediction.bytes << " B");
          CHECK(prediction.seconds >= bound.seconds(static_cast<double>(prediction.bytes)) * (1 - 1e-9));
          CHECK_THAT(prediction.of_bound,
                     WithinAbs(bound.seconds(static_cast<double>(prediction.bytes)) / prediction.seconds, 1e-12));
          ++compared;
        }
    }
  }
  CHECK(compared > 25 * seeds);
}

}  // namespace railgauge::test
