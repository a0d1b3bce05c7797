// Graphs made by hand.
#include "tests/topo/graphs.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace railgauge::test {
using namespace topo;

Node& add_node(Graph& graph, const std::string& key, Kind kind, const std::string& parent, const std::string& name) {
  Node node;
  node.key = key;
  node.kind = kind;
  node.name = name.empty() ? key : name;
  node.parent = parent;
  node.provenance = {"test"};
  graph.nodes.push_back(std::move(node));
  return graph.nodes.back();
}

Link& add_link(Graph& graph, const std::string& a, const std::string& b, LinkKind kind, unsigned a_port, unsigned b_port) {
  Link link;
  link.a = a;
  link.b = b;
  link.kind = kind;
  link.a_port = a_port;
  link.b_port = b_port;
  link.provenance = {"test"};
  graph.links.push_back(std::move(link));
  return graph.links.back();
}

namespace {

void add_pcie(Graph& graph, const std::string& a, const std::string& b) {
  Link& link = add_link(graph, a, b, LinkKind::pcie);
  link.capable = link.active = {16, 32};
  link.bandwidth = {64, 63, 55};
  link.state = LinkState::active;
}

}  // namespace

Graph gpu_server(unsigned gpus) {
  Graph graph;
  add_node(graph, "machine", Kind::machine, "", "node7");
  unsigned next = 0;
  for (const unsigned half : {0U, 1U}) {
    const std::string package = fmt::format("package{}", half);
    const std::string numa = fmt::format("numa{}", half);
    add_node(graph, package, Kind::package, "machine", "Example CPU");
    add_node(graph, numa, Kind::numa, package, fmt::format("NUMA {}", half));
    for (; next < (half == 0 ? gpus / 2 : gpus); ++next) {
      const std::string root = fmt::format("pci{:04x}:{:02x}", 0, 16 * next);
      const std::string port = fmt::format("0000:{:02x}:01.0", 16 * next);
      const std::string upstream = fmt::format("sw{}", next);
      const std::string gpu = fmt::format("0000:{:02x}:00.0", 16 * next + 3);
      const std::string nic = fmt::format("0000:{:02x}:01.0", 16 * next + 3);
      add_node(graph, root, Kind::pci_root, numa);
      add_node(graph, port, Kind::pci_bridge, root, "Intel PCI bridge");
      add_node(graph, upstream, Kind::pci_switch, port, "PCIe switch");
      Node& device = add_node(graph, gpu, Kind::gpu, upstream, "NVIDIA H100 80GB HBM3");
      device.attributes["uuid"] = fmt::format("GPU-{:08}", next + 1);
      device.attributes["nvml_index"] = std::uint64_t{next};
      Node& adapter = add_node(graph, nic, Kind::nic, upstream, "Mellanox ConnectX-7");
      adapter.attributes["verbs"] = std::vector<std::string>{fmt::format("mlx5_{}", next)};
      adapter.attributes["node_guid"] = guid("nic", next);
      adapter.attributes["pci_class"] = std::string("0207");
      adapter.attributes["pci_id"] = std::string("15b3:1021");
      add_node(graph, guid("nic", next) + "/1", Kind::port, nic, fmt::format("mlx5_{}/1", next)).attributes["state"] =
          std::string("active");
      add_link(graph, numa, root, LinkKind::internal);
      add_pcie(graph, root, port);
      add_pcie(graph, port, upstream);
      add_pcie(graph, upstream, gpu);
      add_pcie(graph, upstream, nic);
      add_link(graph, nic, guid("nic", next) + "/1", LinkKind::internal);
    }
  }
  add_node(graph, "nvswitch", Kind::nvswitch, "machine", "NVSwitch");
  for (unsigned k = 0; k < gpus; ++k) {
    Link& link = add_link(graph, fmt::format("0000:{:02x}:00.0", 16 * k + 3), "nvswitch", LinkKind::nvlink);
    link.count = 18;
    link.capable = link.active = {2, 106.25};
    link.bandwidth = {478, 450, 370};
    link.state = LinkState::active;
  }
  return graph;
}

std::string guid(const std::string& what, unsigned number) {
  const std::string_view kind = what == "nic" ? "a" : what == "leaf" ? "b" : "c";
  return fmt::format("0x{}{:015x}", kind, number + 1);
}

Graph rail_fabric(unsigned hosts, unsigned rails, unsigned spines) {
  Graph graph;
  const auto cable = [&](const std::string& a, unsigned a_port, const std::string& b, unsigned b_port) {
    Link& link = add_link(graph, a, b, LinkKind::infiniband, a_port, b_port);
    link.capable = link.active = {4, 106.25};
    link.bandwidth = {53.125, 50, 49};
    link.state = LinkState::active;
  };
  for (unsigned leaf = 0; leaf < rails; ++leaf)
    add_node(graph, guid("leaf", leaf), Kind::fabric_switch, "", fmt::format("leaf{}", leaf));
  for (unsigned spine = 0; spine < spines; ++spine)
    add_node(graph, guid("spine", spine), Kind::fabric_switch, "", fmt::format("spine{}", spine));
  for (unsigned host = 0; host < hosts; ++host) {
    const std::string name = fmt::format("h{}", host);
    add_node(graph, name, Kind::machine, "", name);
    for (unsigned k = 0; k < rails; ++k) {
      const std::string nic = guid("nic", host * rails + k);
      add_node(graph, nic, Kind::nic, name, fmt::format("mlx5_{}", k)).attributes["node_guid"] = nic;
      add_node(graph, nic + "/1", Kind::port, nic, fmt::format("mlx5_{}/1", k));
      add_link(graph, nic, nic + "/1", LinkKind::internal);
      cable(nic + "/1", 1, guid("leaf", k), 1 + host);
    }
  }
  for (unsigned leaf = 0; leaf < rails; ++leaf)
    for (unsigned spine = 0; spine < spines; ++spine)
      cable(guid("leaf", leaf), 1 + hosts + spine, guid("spine", spine), 1 + leaf);
  return graph;
}

Link& link_at(Graph& graph, const std::string& key, unsigned port) {
  for (Link& link : graph.links)
    if (link.kind != LinkKind::internal &&
        ((link.a == key && (port == 0 || link.a_port == port)) || (link.b == key && (port == 0 || link.b_port == port))))
      return link;
  throw std::runtime_error("no link at " + key);
}

Node& node_at(Graph& graph, const std::string& key) {
  for (Node& node : graph.nodes)
    if (node.key == key) return node;
  throw std::runtime_error("no node " + std::string(key));
}

Graph any_graph(std::mt19937& random) {
  const auto any = [&](unsigned below) { return static_cast<unsigned>(random() % below); };
  const auto text = [&] {
    static const char* const texts[] = {"x", "\"quoted\"", "a\\b", "tab\there", "\xc3\xa9t\xc3\xa9", "0000:3b:00.0", "{}", " "};
    return fmt::format("{}{}", texts[any(8)], any(100));
  };
  const auto attributes = [&] {
    Attributes all;
    for (unsigned n = any(4); n > 0; --n) {
      Value value = std::uint64_t{random()} << any(33);
      if (any(3) == 0) value = text();
      if (any(3) == 0) value = std::vector<std::string>{text(), text()};
      all[fmt::format("name_{}", any(9))] = value;
    }
    return all;
  };
  const auto counters = [&] {
    Counters all;
    for (unsigned n = any(3); n > 0; --n) all[fmt::format("errors_{}", any(9))] = ~std::uint64_t{random()};
    return all;
  };
  const auto rate = [&] { return any(2) == 0 ? Rate{} : Rate{any(17), any(100000) / 7.0}; };
  Graph graph;
  const unsigned nodes = 1 + any(12);
  for (unsigned i = 0; i < nodes; ++i) {
    const std::string parent = i == 0 || any(5) == 0 ? "" : graph.nodes[any(i)].key;
    Node& node = add_node(graph, fmt::format("{}#{}", text(), i), kinds()[any(static_cast<unsigned>(kinds().size()))].kind,
                          parent, text());
    node.attributes = attributes();
    if (any(2) == 0) node.provenance.push_back("another");
  }
  for (unsigned n = any(15); n > 0; --n) {
    Link& link = add_link(graph, graph.nodes[any(nodes)].key, graph.nodes[any(nodes)].key,
                          link_kinds()[any(static_cast<unsigned>(link_kinds().size()))].kind, any(4), any(4));
    link.count = 1 + any(18);
    link.bandwidth = {any(1000) / 3.0, any(1000) / 7.0, any(1000) / 11.0};
    link.capable = rate();
    link.active = rate();
    link.active_at_b = rate();
    link.state = link_states()[any(static_cast<unsigned>(link_states().size()))].state;
    link.a_counters = counters();
    link.b_counters = counters();
    link.attributes = attributes();
  }
  return graph;
}

}  // namespace railgauge::test
