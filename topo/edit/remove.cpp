// Marks what is gone, and keeps the rest in its order.
#include "topo/edit/remove.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace railgauge::topo::edit {
namespace {

template <class Item, class Is>
void erase_where(std::vector<Item>& all, const Is& is) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is(i)) continue;
    if (kept != i) all[kept] = std::move(all[i]);
    ++kept;
  }
  all.resize(kept);
}

}  // namespace

Graph without(Graph graph, Gone gone) {
  std::unordered_set<std::string_view> keys;  // of what is gone; parents stand before children
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    if (!node.parent.empty() && keys.contains(node.parent)) gone.nodes[i] = true;
    if (gone.nodes[i]) keys.insert(node.key);
  }
  if (!keys.empty())
    for (std::size_t i = 0; i < graph.links.size(); ++i)
      if (keys.contains(graph.links[i].a) || keys.contains(graph.links[i].b)) gone.links[i] = true;
  erase_where(graph.links, [&](std::size_t i) { return gone.links[i]; });
  erase_where(graph.nodes, [&](std::size_t i) { return gone.nodes[i]; });
  return graph;
}

void mark_bare_switches(const fabric::Fabric& fabric, Gone& gone) {
  if (!fabric.tiered()) return;
  std::vector<std::size_t> had(fabric.switches.size()), has(fabric.switches.size());
  for (const fabric::Host& host : fabric.hosts)
    for (const fabric::Uplink& up : host.uplinks) {
      ++had[up.to];
      const bool is_gone = gone.nodes[host.node] || gone.nodes[up.nic] || (up.link != fabric::npos && gone.links[up.link]);
      has[up.to] += is_gone ? 0 : 1;
    }
  for (unsigned tier = 1; tier <= fabric.tiers; ++tier)
    for (const std::uint32_t at : fabric.by_tier[tier]) {
      const fabric::Switch& it = fabric.switches[at];
      for (const fabric::Peer& peer : it.peers) {
        const fabric::Switch& below = fabric.switches[peer.other];
        if (below.tier == 0 || below.tier >= tier) continue;
        had[at] += peer.count();
        if (gone.nodes[below.node]) continue;
        has[at] +=
            static_cast<std::size_t>(peer.links.empty() ? 1 : std::count_if(peer.links.begin(), peer.links.end(), [&](auto link) {
              return !gone.links[link];
            }));
      }
      if (had[at] != 0 && has[at] == 0) gone.nodes[it.node] = true;
    }
}

}  // namespace railgauge::topo::edit
