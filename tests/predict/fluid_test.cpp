// Flows that begin and end at any time, beside a simulation that fills all of them again at every event.
#include "bench/predict/flows/fluid.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "tests/predict/slow_flows.hpp"
#include "tests/test.hpp"

namespace railgauge::test {
namespace {

using predict::Fluid;

std::vector<double> ends(const Case& drawn) {
  Fluid fluid(drawn.capacities);
  std::vector<std::size_t> order(drawn.flows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return drawn.flows[a].begins < drawn.flows[b].begins; });
  std::vector<double> result(drawn.flows.size(), -1);
  std::map<std::uint32_t, std::size_t> names;
  std::vector<std::uint32_t> ended;
  for (std::size_t next = 0; next < order.size() || fluid.in_flight() > 0;) {
    const double begins = next < order.size() ? drawn.flows[order[next]].begins : Fluid::never;
    ended.clear();
    fluid.advance(std::min(begins, fluid.next()), ended);
    for (const std::uint32_t flow : ended) result[names[flow]] = fluid.now();
    while (next < order.size() && drawn.flows[order[next]].begins <= fluid.now()) {
      const SlowFlow& flow = drawn.flows[order[next]];
      predict::Path path;
      // In two parts, as routes are.
      const std::span<const predict::Use> uses(flow.uses);
      path.push_back({uses.first(uses.size() / 2), 1});
      path.push_back({uses.subspan(uses.size() / 2), 1});
      names[fluid.start(path, flow.bytes)] = order[next++];
    }
  }
  return result;
}

}  // namespace

TEST_CASE("a flow is faster when another has ended") {
  // 10 bytes a second for both: the short one ends at 2 s, and the long one has 20 of 30 bytes left, at twice the rate.
  const predict::Use use{0, 1};
  const Case two{{10}, {{{use}, 0, 10}, {{use}, 0, 30}}};
  const std::vector<double> result = ends(two);
  CHECK_THAT(result[0], WithinAbs(2, 1e-12));
  CHECK_THAT(result[1], WithinAbs(4, 1e-12));
}

TEST_CASE("a flow of nothing ends when it begins") {
  const std::vector<double> result = ends({{10}, {{{{0, 1}}, 3, 0}}});
  CHECK_THAT(result[0], WithinAbs(3, 1e-12));
}

TEST_CASE("random flows end when the slow simulation says") {
  const unsigned seed = 26'112'026;
  std::mt19937 random(seed);
  for (int round = 0; round < 1000; ++round) {
    CAPTURE(seed, round);
    const Case drawn = draw_case(random);
    const std::vector<double> expected = slow_ends(drawn.capacities, drawn.flows);
    const std::vector<double> result = ends(drawn);
    for (std::size_t i = 0; i < result.size(); ++i) REQUIRE_THAT(result[i] / expected[i], WithinAbs(1, 1e-9));
  }
}

}  // namespace railgauge::test
