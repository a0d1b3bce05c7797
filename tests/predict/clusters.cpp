// The nodes and links of tests/predict/clusters.hpp.
#include "tests/predict/clusters.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace railgauge::test {
namespace {

using topo::Graph;
using topo::Kind;
using topo::LinkKind;

void put(Graph& graph, const std::string& key, Kind kind, const std::string& parent = {}) {
  topo::Node node;
  node.key = key;
  node.kind = kind;
  node.name = key;
  node.parent = parent;
  node.provenance = {"test"};
  if (kind == Kind::nic) node.attributes["device"] = "mlx5_" + key.substr(key.size() - 1);
  graph.nodes.push_back(node);
}

void join(Graph& graph, const std::string& a, const std::string& b, LinkKind kind, double gigabytes) {
  topo::Link link;
  link.a = a;
  link.b = b;
  link.kind = kind;
  link.bandwidth = {gigabytes, gigabytes, 0};
  link.state = topo::LinkState::active;
  link.provenance = {"test"};
  graph.links.push_back(link);
}

}  // namespace

Graph cluster_graph(const Cluster& it) {
  Graph graph;
  std::set<std::string> known;
  std::vector<std::string> leaves;
  std::vector<std::pair<std::string, std::string>> cables;  // NIC and leaf
  for (unsigned m = 0; m < it.machines; ++m) {
    const std::string machine = "m" + std::to_string(m);
    put(graph, machine, Kind::machine);
    const auto leaf = [&](unsigned rail) {
      return "leaf" + std::to_string(m / it.leaf_machines) + "." + std::to_string(it.rails ? rail : 0);
    };
    if (it.gpus == 0) {
      put(graph, machine + "/nic0", Kind::nic, machine);
      join(graph, machine, machine + "/nic0", LinkKind::pcie, it.pcie);
      cables.emplace_back(machine + "/nic0", leaf(0));
    }
    for (unsigned g = 0; g < it.gpus; ++g) {
      const std::string place = std::to_string(g);
      put(graph, machine + "/sw" + place, Kind::pci_switch, machine);
      put(graph, machine + "/gpu" + place, Kind::gpu, machine + "/sw" + place);
      if (it.nvlink == 0) graph.nodes.back().name = "NVIDIA L40S";  // a model without NVLink, so that none is missing
      put(graph, machine + "/nic" + place, Kind::nic, machine + "/sw" + place);
      join(graph, machine, machine + "/sw" + place, LinkKind::pcie, it.pcie);
      join(graph, machine + "/sw" + place, machine + "/gpu" + place, LinkKind::pcie, it.pcie);
      join(graph, machine + "/sw" + place, machine + "/nic" + place, LinkKind::pcie, it.pcie);
      cables.emplace_back(machine + "/nic" + place, leaf(g));
    }
    if (it.gpus > 0 && it.nvlink > 0) {
      put(graph, machine + "/nvswitch", Kind::nvswitch, machine);
      for (unsigned g = 0; g < it.gpus; ++g)
        join(graph, machine + "/gpu" + std::to_string(g), machine + "/nvswitch", LinkKind::nvlink, it.nvlink);
    }
  }
  for (const auto& [nic, leaf] : cables) {
    if (known.insert(leaf).second) {
      put(graph, leaf, Kind::fabric_switch);
      leaves.push_back(leaf);
    }
    join(graph, nic, leaf, LinkKind::infiniband, it.cable);
  }
  const std::size_t pod_leaves = it.pod_leaves == 0 ? leaves.size() : it.pod_leaves;
  for (unsigned s = 0; s < it.spines; ++s)
    for (unsigned core = 0; core < it.cores; ++core)
      put(graph, "core" + std::to_string(s) + "." + std::to_string(core), Kind::fabric_switch);
  for (std::size_t first = 0; first < leaves.size(); first += pod_leaves)
    for (unsigned s = 0; s < it.spines; ++s) {
      const std::string number = std::to_string(s);
      const std::string spine = first == 0 ? "spine" + number : "spine" + std::to_string(first / pod_leaves) + "." + number;
      put(graph, spine, Kind::fabric_switch);
      for (std::size_t leaf = first; leaf < std::min(first + pod_leaves, leaves.size()); ++leaf)
        join(graph, leaves[leaf], spine, LinkKind::infiniband, it.uplink);
      for (unsigned core = 0; core < it.cores; ++core)
        join(graph, spine, "core" + number + "." + std::to_string(core), LinkKind::infiniband, it.uplink);
    }
  return graph;
}

topo::Link& link_between(Graph& graph, const std::string& a, const std::string& b) {
  const auto found =
      std::find_if(graph.links.begin(), graph.links.end(), [&](const topo::Link& link) { return link.a == a && link.b == b; });
  if (found == graph.links.end()) throw std::runtime_error("no link from " + a + " to " + b);
  return *found;
}

}  // namespace railgauge::test
