// Which arcs leave and reach each vertex of a network, and of what class they are.
#include "bench/predict/routes/incidence.hpp"

#include <numeric>

namespace railgauge::predict {
namespace {

ArcClass class_of(topo::LinkKind kind) {
  if (topo::joins_gpus(kind)) return ArcClass::gpu;
  return topo::is_cable(kind) ? ArcClass::cable : ArcClass::inside;
}

// The arcs of each vertex by the end that `end` names, in the order of the network.
void by_vertex(const topo::Network& network, std::uint32_t topo::Arc::* end, std::vector<std::uint32_t>& starts,
               std::vector<std::uint32_t>& arcs) {
  starts.assign(network.vertices.size() + 1, 0);
  for (const topo::Arc& arc : network.arcs) ++starts[arc.*end + 1];
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  arcs.resize(network.arcs.size());
  std::vector<std::uint32_t> next(starts.begin(), starts.end() - 1);
  for (std::uint32_t i = 0; i < network.arcs.size(); ++i) arcs[next[network.arcs[i].*end]++] = i;
}

}  // namespace

Incidence::Incidence(const topo::Graph& graph, const topo::Network& network) : network_(network) {
  by_vertex(network, &topo::Arc::from, starts_, arcs_);
  by_vertex(network, &topo::Arc::to, starts_in_, arcs_in_);
  switches_.assign(network.vertices.size(), true);
  for (const topo::Arc& arc : network.arcs) {
    classes_.push_back(class_of(graph.links[arc.link].kind));
    if (classes_.back() != ArcClass::cable) switches_[arc.from] = switches_[arc.to] = false;
  }
  for (const std::uint32_t vertex : network.ranks) switches_[vertex] = false;
}

}  // namespace railgauge::predict
