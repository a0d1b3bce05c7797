// Max-min fair rates: known ones, and random ones beside the definition.
#include "bench/predict/flows/filling.hpp"

#include <limits>
#include <random>

#include "tests/predict/slow_flows.hpp"
#include "tests/test.hpp"

namespace railgauge::test {
namespace {

using predict::Filling;
using predict::FlowArcs;
using predict::Use;

constexpr double unlimited = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("three flows over two links have the rates of the textbook") {
  // One flow over both links, one over each: the link of 10 gives 5 to both of its flows, and the link of 30 has 25 left.
  const std::vector<double> capacities = {10, 30};
  const std::vector<Use> uses = {{0, 1}, {1, 1}, {0, 1}, {1, 1}};
  const std::vector<FlowArcs> flows = {{0, 2, unlimited}, {2, 1, unlimited}, {3, 1, unlimited}};
  Filling filling;
  const auto rates = filling.rates(capacities, flows, uses);
  CHECK_THAT(rates[0], WithinAbs(5, 1e-12));
  CHECK_THAT(rates[1], WithinAbs(5, 1e-12));
  CHECK_THAT(rates[2], WithinAbs(25, 1e-12));
}

TEST_CASE("a flow that has a limit leaves the rest to others") {
  const std::vector<double> capacities = {10};
  const std::vector<Use> uses = {{0, 1}, {0, 1}, {0, 1}};
  const std::vector<FlowArcs> flows = {{0, 1, 2}, {1, 1, unlimited}, {2, 1, unlimited}};
  Filling filling;
  const auto rates = filling.rates(capacities, flows, uses);
  CHECK_THAT(rates[0], WithinAbs(2, 1e-12));
  CHECK_THAT(rates[1], WithinAbs(4, 1e-12));
  CHECK_THAT(rates[2], WithinAbs(4, 1e-12));
}

TEST_CASE("rates of random flows are those of the definition") {
  const unsigned seed = 20'261'126;
  std::mt19937 random(seed);
  Filling filling;
  for (int round = 0; round < 2000; ++round) {
    CAPTURE(seed, round);
    const Case drawn = draw_case(random);
    std::vector<Use> uses;
    std::vector<FlowArcs> flows;
    std::vector<std::vector<Use>> each;
    for (const SlowFlow& flow : drawn.flows) {
      flows.push_back({static_cast<std::uint32_t>(uses.size()), static_cast<std::uint32_t>(flow.uses.size()), unlimited});
      uses.insert(uses.end(), flow.uses.begin(), flow.uses.end());
      each.push_back(flow.uses);
    }
    const std::vector<double> expected = slow_rates(drawn.capacities, each);
    const auto rates = filling.rates(drawn.capacities, flows, uses);
    for (std::size_t i = 0; i < each.size(); ++i) REQUIRE_THAT(rates[i] / expected[i], WithinAbs(1, 1e-9));
  }
}

}  // namespace railgauge::test
