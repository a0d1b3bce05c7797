#include "tests/validate/peers.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <utility>

namespace railgauge::test {
namespace {

std::vector<Index> shuffled(Simulator& simulator) {
  std::vector<Index> hosts(simulator.fleet().hosts.size());
  std::iota(hosts.begin(), hosts.end(), 0);
  for (std::size_t i = hosts.size(); i > 1; --i) std::swap(hosts[i - 1], hosts[simulator.draws().below(i)]);
  return hosts;
}

// Those that fail again with one who passed.
std::vector<Index> failing_again(Simulator& simulator, const std::vector<Index>& doubted, const std::vector<Index>& passed,
                                 double least) {
  std::vector<Index> faulty;
  for (const Index host : doubted)
    if (passed.empty() || simulator.figure(host, passed[simulator.draws().below(passed.size())], 0, 1) < least * Simulator::usual)
      faulty.push_back(host);
  std::sort(faulty.begin(), faulty.end());
  return faulty;
}

}  // namespace

std::vector<Index> two_passes(Simulator& simulator, double least) {
  const std::vector<Index> hosts = shuffled(simulator);
  std::vector<Index> doubted, passed;
  for (std::size_t i = 0; i + 1 < hosts.size(); i += 2) {
    std::vector<Index>& to = simulator.figure(hosts[i], hosts[i + 1], 0, 0) < least * Simulator::usual ? doubted : passed;
    to.insert(to.end(), {hosts[i], hosts[i + 1]});
  }
  return failing_again(simulator, doubted, passed, least);
}

std::vector<Index> bisection(Simulator& simulator, double least) {
  const std::vector<Index> hosts = shuffled(simulator);
  std::vector<Index> doubted, passed;
  const std::function<void(std::span<const Index>)> test = [&](std::span<const Index> group) {
    if (simulator.group_figure(group) >= least * Simulator::usual) {
      passed.insert(passed.end(), group.begin(), group.end());
    } else if (group.size() <= 2) {
      doubted.insert(doubted.end(), group.begin(), group.end());
    } else {
      test(group.first(group.size() / 2));
      test(group.subspan(group.size() / 2));
    }
  };
  test(hosts);
  return failing_again(simulator, doubted, passed, least);
}

}  // namespace railgauge::test
