// Builds fabrics switch by switch.
#include "tests/topo/networks.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace railgauge::test {
namespace {

using topo::Graph;
using topo::Kind;
using topo::Link;
using topo::LinkKind;
using topo::Node;

void add_switch(Graph& graph, const std::string& name) {
  Node node;
  node.key = name;
  node.kind = Kind::fabric_switch;
  node.name = name;
  node.provenance = {"test"};
  graph.nodes.push_back(std::move(node));
}

void cable(Graph& graph, const std::string& a, const std::string& b) {
  Link link;
  link.a = a;
  link.b = b;
  link.kind = LinkKind::infiniband;
  link.capable = link.active = {4, 106.25};
  link.state = topo::LinkState::active;
  link.provenance = {"test"};
  graph.links.push_back(std::move(link));
}

// A machine with so many NICs.
std::string add_host(Graph& graph, unsigned number, unsigned nics) {
  Node node;
  node.key = node.name = fmt::format("node{:05}", number);
  node.kind = Kind::machine;
  node.provenance = {"test"};
  const std::string host = node.key;
  graph.nodes.push_back(node);
  for (unsigned k = 0; k < nics; ++k) {
    node.key = fmt::format("{}/mlx5_{}", host, k);
    node.name = fmt::format("mlx5_{}", k);
    node.kind = Kind::nic;
    node.parent = host;
    graph.nodes.push_back(node);
  }
  return host;
}

}  // namespace

Graph rail_optimised(unsigned hosts, unsigned rails, unsigned hosts_per_leaf, unsigned spines) {
  Graph graph;
  const unsigned units = (hosts + hosts_per_leaf - 1) / hosts_per_leaf;
  const auto leaf = [](unsigned unit, unsigned rail) { return fmt::format("leaf-u{:02}-r{}", unit + 1, rail); };
  for (unsigned spine = 0; spine < spines; ++spine) add_switch(graph, fmt::format("spine{:02}", spine + 1));
  for (unsigned unit = 0; unit < units; ++unit)
    for (unsigned rail = 0; rail < rails; ++rail) {
      add_switch(graph, leaf(unit, rail));
      for (unsigned spine = 0; spine < spines; ++spine) cable(graph, leaf(unit, rail), fmt::format("spine{:02}", spine + 1));
    }
  for (unsigned host = 0; host < hosts; ++host) {
    const std::string name = add_host(graph, host + 1, rails);
    for (unsigned rail = 0; rail < rails; ++rail)
      cable(graph, fmt::format("{}/mlx5_{}", name, rail), leaf(host / hosts_per_leaf, rail));
  }
  return graph;
}

Graph torus(unsigned x, unsigned y, unsigned z) {
  Graph graph;
  const auto name = [](unsigned i, unsigned j, unsigned k) { return fmt::format("s-{}-{}-{}", i, j, k); };
  unsigned hosts = 0;
  for (unsigned i = 0; i < x; ++i)
    for (unsigned j = 0; j < y; ++j)
      for (unsigned k = 0; k < z; ++k) {
        add_switch(graph, name(i, j, k));
        cable(graph, add_host(graph, ++hosts, 1) + "/mlx5_0", name(i, j, k));
      }
  for (unsigned i = 0; i < x; ++i)
    for (unsigned j = 0; j < y; ++j)
      for (unsigned k = 0; k < z; ++k) {
        if (x > 1) cable(graph, name(i, j, k), name((i + 1) % x, j, k));
        if (y > 1) cable(graph, name(i, j, k), name(i, (j + 1) % y, k));
        if (z > 1) cable(graph, name(i, j, k), name(i, j, (k + 1) % z));
      }
  return graph;
}

Graph dragonfly(unsigned groups, unsigned switches) {
  Graph graph;
  const auto name = [](unsigned group, unsigned at) { return fmt::format("g{:02}-s{:02}", group, at % 100); };
  unsigned hosts = 0;
  for (unsigned g = 0; g < groups; ++g)
    for (unsigned s = 0; s < switches; ++s) {
      add_switch(graph, name(g, s));
      cable(graph, add_host(graph, ++hosts, 1) + "/mlx5_0", name(g, s));
      for (unsigned other = 0; other < s; ++other) cable(graph, name(g, other), name(g, s));
    }
  for (unsigned g = 0; g < groups; ++g)
    for (unsigned other = 0; other < g; ++other) cable(graph, name(other, g % switches), name(g, other % switches));
  return graph;
}

topo::Link& link_between(Graph& graph, const std::string& a, const std::string& b) {
  const auto is = [](const std::string& key, const std::string& name) { return key == name || key.starts_with(name + "/"); };
  for (Link& link : graph.links)
    if ((is(link.a, a) && is(link.b, b)) || (is(link.a, b) && is(link.b, a))) return link;
  throw std::runtime_error("no link between " + a + " and " + b);
}

}  // namespace railgauge::test
