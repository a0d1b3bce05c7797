#include "tests/validate/managed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

namespace railgauge::test {

Managed manage(topo::Fabric fabric, std::mt19937& random) {
  Managed it;
  std::vector<std::vector<std::pair<std::size_t, unsigned>>> next(fabric.nodes.size());  // peer, own port
  for (const topo::FabricPort& port : fabric.ports) {
    if (port.peer == topo::no_node) continue;
    next[port.node].emplace_back(port.peer, port.number);
    next[port.peer].emplace_back(port.node, port.peer_number);
  }
  for (auto& each : next) {
    std::sort(each.begin(), each.end());
    each.erase(std::unique(each.begin(), each.end()), each.end());
  }
  const std::vector<topo::FabricNode> nodes = fabric.nodes;
  std::vector<std::uint32_t> lid_of(nodes.size());
  std::uint32_t lid = 0;
  for (std::size_t to = 0; to < nodes.size(); ++to) {
    if (nodes[to].kind != topo::FabricKind::adapter) continue;
    it.lids[nodes[to].key] = lid_of[to] = ++lid;
    std::vector<unsigned> far(nodes.size(), 1000);
    far[to] = 0;
    for (std::deque<std::size_t> open{to}; !open.empty(); open.pop_front())
      for (const auto& [peer, port] : next[open.front()])
        if (far[peer] == 1000 && nodes[peer].kind != topo::FabricKind::adapter) {
          far[peer] = far[open.front()] + 1;
          open.push_back(peer);
        }
    for (std::size_t at = 0; at < nodes.size(); ++at) {
      if (nodes[at].kind == topo::FabricKind::adapter) continue;
      std::vector<unsigned> ports;
      for (const auto& [peer, port] : next[at])
        if (far[peer] + 1 == far[at] && (peer == to || nodes[peer].kind != topo::FabricKind::adapter)) ports.push_back(port);
      if (ports.empty()) continue;
      it.ports[nodes[at].key][lid] = ports[random() % ports.size()];
      it.hops[nodes[at].key][nodes[to].key] = far[at];
    }
  }
  for (topo::FabricPort& port : fabric.ports)
    if (lid_of[port.node] != 0) port.attributes["lid"] = std::uint64_t{lid_of[port.node]};
  it.graph = to_graph(std::move(fabric));
  for (topo::Node& node : it.graph.nodes) {
    if (const auto lid_of_it = it.lids.find(node.parent); lid_of_it != it.lids.end() && node.kind == topo::Kind::port)
      node.attributes["lid"] = std::uint64_t{lid_of_it->second};
    const auto table = it.ports.find(node.key);
    if (table == it.ports.end()) continue;
    std::string text;
    for (const auto& [to, port] : table->second) text += fmt::format("{}{}={}", text.empty() ? "" : ",", to, port);
    node.attributes["routes"] = text;
  }
  return it;
}

}  // namespace railgauge::test
