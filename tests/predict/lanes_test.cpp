// Lanes: parts of the data that do not wait for each other share links and the device, and overlap one's transfers with another's
// reductions.
#include <algorithm>
#include <random>

#include "bench/predict/predict.hpp"
#include "tests/predict/clusters.hpp"
#include "tests/test.hpp"

namespace railgauge::test {
namespace {

using namespace railgauge::predict;

constexpr std::uint64_t bytes = std::uint64_t{1} << 26U;

Prediction by_lanes(const topo::Graph& graph, const std::string& algorithm, unsigned lanes, double memory) {
  Question question;
  question.algorithms = {algorithm};
  question.sizes = {bytes};
  question.lanes = lanes;
  question.given.latency = question.given.hop = question.given.gap = 0;
  if (memory > 0) question.given.memory = memory;
  return predict::predict(graph, question).columns.front().predictions.front();
}

}  // namespace

TEST_CASE("where nothing but links takes time, lanes take as long as one") {
  std::mt19937 random(7);
  for (int i = 0; i < (sanitized ? 4 : 20); ++i) {
    const Cluster cluster{.machines = 2 + static_cast<unsigned>(random() % 5), .gpus = static_cast<unsigned>(random() % 3)};
    const topo::Graph graph = cluster_graph(cluster);
    for (const char* algorithm : {"ring", "recursive_doubling"}) {
      const double one = by_lanes(graph, algorithm, 1, 0).seconds;
      for (const unsigned lanes : {2U, 3U, 8U}) {
        INFO(cluster.machines << " machines of " << cluster.gpus << " GPUs, " << algorithm << " in " << lanes << " lanes");
        CHECK_THAT(by_lanes(graph, algorithm, lanes, 0).seconds / one, WithinAbs(1, 1e-6));
      }
    }
  }
}

TEST_CASE("lanes overlap what one reduces with what another sends, and a device reduces one behind the other") {
  const topo::Graph graph = cluster_graph({.machines = 2, .gpus = 0});
  // Of a ring of two each sends half of the data twice over 50 GB/s, and once reads two halves and writes one.
  const double sends = static_cast<double>(bytes) / 50e9;
  const double reduces = 1.5 * static_cast<double>(bytes) / 100e9;
  const Prediction one = by_lanes(graph, "ring", 1, 100e9);
  CHECK_THAT(one.seconds / (sends + reduces), WithinAbs(1, 1e-9));
  double before = one.seconds;
  for (const unsigned lanes : {2U, 4U, 16U}) {
    const Prediction it = by_lanes(graph, "ring", lanes, 100e9);
    CHECK(it.seconds < before * 1.0001);
    CHECK(it.seconds > std::max(sends, reduces));
    REQUIRE(it.busiest.has_value());
    // As many bytes over the busiest link.
    CHECK_THAT(it.busiest->share * it.seconds / (one.busiest->share * one.seconds), WithinAbs(1, 1e-9));
    before = it.seconds;
  }
  CHECK(before < one.seconds * 0.85);
}

TEST_CASE("lanes of several groups are as long as those of one where they share nothing") {
  topo::Graph graph = cluster_graph({.machines = 4, .gpus = 0});
  Question question;
  question.algorithms = {"ring"};
  question.sizes = {bytes};
  question.lanes = 3;
  question.groups = {{0, 1}, {2, 3}};
  const double both = predict::predict(graph, question).columns.front().predictions.front().seconds;
  question.groups = {{0, 1}};
  CHECK_THAT(both / predict::predict(graph, question).columns.front().predictions.front().seconds, WithinAbs(1, 1e-9));
}

}  // namespace railgauge::test
