// Adds nodes and links with what all generated ones have.
#include "topo/generate/assembly.hpp"

#include <fmt/format.h>

#include <utility>

#include "topo/generate/generate.hpp"
#include "topo/infiniband.hpp"

namespace railgauge::topo {
namespace {

// EUI-64 with the bit of local administration (IEEE 802): adapters, and switches apart from them.
constexpr std::uint64_t adapters_from = 0x0200'0000'0000'0000;
constexpr std::uint64_t switches_from = 0x0201'0000'0000'0000;

std::string guid_of(std::uint64_t number) { return fmt::format("0x{:016x}", number); }

}  // namespace

Node& Assembly::add(std::string key, Kind kind, std::string name, std::string parent) {
  Node& node = graph_.nodes.emplace_back();
  node.key = std::move(key);
  node.kind = kind;
  node.name = std::move(name);
  node.parent = std::move(parent);
  node.provenance.emplace_back(generated_source);
  return node;
}

Link& Assembly::join(std::string a, std::string b, LinkKind kind) {
  Link& link = graph_.links.emplace_back();
  link.a = std::move(a);
  link.b = std::move(b);
  link.kind = kind;
  link.state = LinkState::active;
  link.provenance.emplace_back(generated_source);
  return link;
}

std::string Assembly::next_adapter() { return guid_of(adapters_from + ++adapters_); }

std::size_t Assembly::add_switch(const std::string& name) {
  switches_.push_back({guid_of(switches_from + switches_.size() + 1), name});
  return switches_.size() - 1;
}

Link& Assembly::cable_between(std::string a, std::string b, const Rate& rate) {
  Link& link = join(std::move(a), std::move(b), LinkKind::infiniband);
  link.capable = link.active = rate;
  link.bandwidth = infiniband_bandwidth(rate);
  return link;
}

void Assembly::cable(const std::string& port, std::size_t to, const Rate& rate) {
  Link& link = cable_between(port, switches_[to].key, rate);
  link.a_port = 1;
  link.b_port = ++switches_[to].ports;
}

void Assembly::cable(std::size_t from, std::size_t to, const Rate& rate) {
  Link& link = cable_between(switches_[from].key, switches_[to].key, rate);
  link.a_port = ++switches_[from].ports;
  link.b_port = ++switches_[to].ports;
}

void Assembly::reserve(std::size_t nodes, std::size_t links) {
  graph_.nodes.reserve(nodes);
  graph_.links.reserve(links);
}

Graph Assembly::take() {
  for (Switch& it : switches_) {
    Node& node = add(it.key, Kind::fabric_switch, std::move(it.name), "");
    node.attributes["ports"] = std::uint64_t{it.ports};
    if (!aggregation_) continue;
    const std::string guid = next_adapter();
    Node& adds = add(guid, Kind::accelerator, "SHARP aggregation node", std::move(it.key));
    adds.attributes["role"] = std::string("aggregation");
    adds.attributes["node_guid"] = guid;
  }
  switches_.clear();
  return std::move(graph_);
}

}  // namespace railgauge::topo
