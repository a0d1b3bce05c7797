// One source before all roots; the flow that fills one rank is led on to the next.
#include "topo/trees/demand.hpp"

#include <numeric>

namespace railgauge::topo {

void add_links(Flow& flow, const Capacities& capacities) {
  for (std::uint32_t a = 0; a < capacities.vertices; ++a)
    for (std::uint32_t b = a + 1; b < capacities.vertices; ++b)
      if (capacities.at(a, b) > 0 || capacities.at(b, a) > 0) flow.set(flow.add(a, b), capacities.at(a, b), capacities.at(b, a));
}

std::int64_t Demand::all() const { return std::accumulate(roots.begin(), roots.end(), std::int64_t{0}); }

std::optional<std::int64_t> shortfall(const Capacities& capacities, const Demand& demand) {
  const std::uint32_t source = capacities.vertices;
  const std::uint32_t sink = source + 1;
  Flow flow(capacities.vertices + 2);
  add_links(flow, capacities);
  std::vector<std::uint32_t> sources, sinks;
  for (std::size_t i = 0; i < demand.ranks.size(); ++i) {
    sources.push_back(flow.add(source, demand.ranks[i]));
    flow.set(sources.back(), demand.roots[i], 0);
    sinks.push_back(flow.add(demand.ranks[i], sink));
  }
  const std::int64_t wanted = demand.all();
  std::uint32_t from = source;
  for (std::size_t i = 0; i < demand.ranks.size(); ++i) {
    flow.set(sinks[i], wanted, 0);
    const std::int64_t reached = flow.push(from, sink);
    if (reached < wanted) return wanted - reached;
    flow.set(sinks[i], 0, 0);
    if (from == source)
      for (const std::uint32_t edge : sources) flow.set(edge, 0, 0);
    from = demand.ranks[i];
  }
  return std::nullopt;
}

}  // namespace railgauge::topo
