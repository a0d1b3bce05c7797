// One round of a schedule alone beside the whole.
#include <algorithm>

#include "base/error.hpp"
#include "bench/predict/predict.hpp"
#include "tests/predict/clusters.hpp"
#include "tests/test.hpp"

namespace railgauge::test {
namespace {

using namespace railgauge::predict;

double seconds_of(const topo::Graph& graph, const std::string& algorithm, std::size_t round) {
  Question question;
  question.algorithms = {algorithm};
  question.sizes = {std::uint64_t{1} << 24U};
  question.round = round;
  const Answer answer = predict::predict(graph, question);
  if (round > 0) CHECK(answer.columns.front().predictions.front().busbw == 0);
  return answer.columns.front().predictions.front().seconds;
}

}  // namespace

TEST_CASE("rounds that wait for nothing but each other take together what the whole takes") {
  for (const unsigned hosts : {2U, 4U, 8U}) {
    const topo::Graph graph = cluster_graph({.machines = hosts, .gpus = 0, .leaf_machines = hosts});
    for (const char* algorithm : {"ring", "halving_doubling", "two_shot"}) {
      INFO(algorithm << " of " << hosts);
      double sum = 0;
      std::size_t rounds = 0;
      try {
        for (;; ++rounds) sum += seconds_of(graph, algorithm, rounds + 1);
      } catch (const Error& error) {
        CHECK(std::string(error.what()).find("it has " + std::to_string(rounds) + " round") != std::string::npos);
      }
      CHECK(rounds >= 2);
      CHECK_THAT(sum / seconds_of(graph, algorithm, 0), WithinAbs(1, 1e-6));
    }
  }
}

}  // namespace railgauge::test
