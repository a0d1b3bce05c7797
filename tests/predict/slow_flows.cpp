// The slow flows of tests/predict/slow_flows.hpp.
#include "tests/predict/slow_flows.hpp"

#include <algorithm>
#include <limits>

namespace railgauge::test {

std::vector<double> slow_rates(const std::vector<double>& capacities, const std::vector<std::vector<predict::Use>>& flows) {
  std::vector<double> rates(flows.size(), 0);
  std::vector<bool> fixed(flows.size(), false);
  const auto share = [&](std::size_t flow, std::size_t arc) {
    double sum = 0;
    for (const predict::Use& use : flows[flow])
      if (use.arc == arc) sum += use.share;
    return sum;
  };
  while (std::find(fixed.begin(), fixed.end(), false) != fixed.end()) {
    double step = std::numeric_limits<double>::infinity();
    std::size_t fullest = 0;
    for (std::size_t arc = 0; arc < capacities.size(); ++arc) {
      double used = 0;
      double growing = 0;
      for (std::size_t flow = 0; flow < flows.size(); ++flow) {
        used += rates[flow] * share(flow, arc);
        if (!fixed[flow]) growing += share(flow, arc);
      }
      if (growing > 0 && (capacities[arc] - used) / growing < step) {
        step = (capacities[arc] - used) / growing;
        fullest = arc;
      }
    }
    for (std::size_t flow = 0; flow < flows.size(); ++flow)
      if (!fixed[flow]) rates[flow] += step;
    for (std::size_t flow = 0; flow < flows.size(); ++flow)
      if (share(flow, fullest) > 0) fixed[flow] = true;
  }
  return rates;
}

std::vector<double> slow_ends(const std::vector<double>& capacities, const std::vector<SlowFlow>& flows) {
  std::vector<double> ends(flows.size(), -1);
  std::vector<double> left;
  for (const SlowFlow& flow : flows) left.push_back(flow.bytes);
  double now = 0;
  for (std::size_t done = 0; done < flows.size();) {
    std::vector<std::size_t> active;
    std::vector<std::vector<predict::Use>> uses;
    double next = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < flows.size(); ++i) {
      if (ends[i] >= 0) continue;
      if (flows[i].begins > now) {
        next = std::min(next, flows[i].begins);
        continue;
      }
      active.push_back(i);
      uses.push_back(flows[i].uses);
    }
    const std::vector<double> rates = slow_rates(capacities, uses);
    for (std::size_t i = 0; i < active.size(); ++i) next = std::min(next, now + left[active[i]] / rates[i]);
    for (std::size_t i = 0; i < active.size(); ++i) {
      left[active[i]] -= rates[i] * (next - now);
      if (left[active[i]] > flows[active[i]].bytes * 1e-11) continue;
      ends[active[i]] = next;
      ++done;
    }
    now = next;
  }
  return ends;
}

Case draw_case(std::mt19937& random) {
  const auto whole = [&](int least, int most) { return std::uniform_int_distribution<int>(least, most)(random); };
  Case it;
  const int arcs = whole(1, 12);
  const bool round_numbers = whole(0, 1) == 0;
  for (int i = 0; i < arcs; ++i) it.capacities.push_back(round_numbers ? 10.0 * whole(1, 4) : 1 + whole(0, 100'000) / 997.0);
  const int flows = whole(1, 25);
  for (int i = 0; i < flows; ++i) {
    SlowFlow flow;
    for (int use = whole(1, 5); use > 0; --use)
      flow.uses.push_back({static_cast<std::uint32_t>(whole(0, arcs - 1)), whole(0, 2) == 0 ? whole(1, 8) / 8.0 : 1.0});
    flow.begins = round_numbers ? whole(0, 3) : whole(0, 3000) / 991.0;
    flow.bytes = round_numbers ? 10.0 * whole(1, 5) : 1 + whole(0, 100'000) / 983.0;
    it.flows.push_back(flow);
  }
  return it;
}

}  // namespace railgauge::test
