// Each node and port is there once; a port has one peer.
#include "topo/read/fabric_list.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace railgauge::topo {

void FabricList::fail(std::size_t line, const std::string& what) const {
  throw Error(Fault::usage, fmt::format("{}:{}: {}", fabric.origin, line, what));
}

std::size_t FabricList::node(const std::string& key) {
  const auto [place, fresh] = nodes_.try_emplace(key, fabric.nodes.size());
  if (fresh) fabric.nodes.emplace_back().key = key;
  return place->second;
}

std::size_t FabricList::port(std::size_t node, unsigned number, std::size_t line) {
  if (number == 0 || number > most_ports)
    fail(line, fmt::format("expected a port of {}, 1 to {}, found {}", fabric.nodes[node].key, most_ports, number));
  const auto [place, fresh] = ports_.try_emplace((std::uint64_t{node} << 16U) | number, fabric.ports.size());
  if (fresh) {
    FabricPort& made = fabric.ports.emplace_back();
    made.node = node;
    made.number = number;
    made.line = line;
  }
  return place->second;
}

void FabricList::join(std::size_t port, std::size_t other, std::size_t line) {
  if (port == other)
    fail(line, fmt::format("port {} of {} cannot be its own peer", fabric.ports[port].number,
                           fabric.nodes[fabric.ports[port].node].key));
  for (const auto& [here, there] : {std::pair{port, other}, {other, port}}) {
    FabricPort& it = fabric.ports[here];
    const FabricPort& peer = fabric.ports[there];
    if (it.peer != no_node && (it.peer != peer.node || it.peer_number != peer.number))
      fail(line, fmt::format("port {} of {} is joined with port {} of {} here, and with port {} of {} on line {}", it.number,
                             fabric.nodes[it.node].key, peer.number, fabric.nodes[peer.node].key, it.peer_number,
                             fabric.nodes[it.peer].key, it.line));
    it.peer = peer.node;
    it.peer_number = peer.number;
  }
}

}  // namespace railgauge::topo
