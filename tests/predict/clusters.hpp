// Clusters made by hand: machines of GPUs with NVSwitches and a NIC each, or hosts with one NIC, below leaves and spines.
#pragma once

#include "topo/graph.hpp"

namespace railgauge::test {

struct Cluster {
  unsigned machines = 2, gpus = 4;  // gpus 0: machines with one NIC each and no GPU
  unsigned leaf_machines = 2;       // machines below one leaf; with `rails` below a leaf of each rail
  unsigned spines = 2;              // of a pod; 0: leaves are not joined
  bool rails = true;                // NIC k of each machine is on leaf k of its unit; else all on one leaf
  unsigned pod_leaves = 0;          // leaves that share spines; 0: all, and there are no cores
  unsigned cores = 0;               // above each spine of a pod, joined to the spine of that number of each pod
  double nvlink = 450, pcie = 64, cable = 50, uplink = 50;  // GB/s; nvlink 0: PCIe alone
};

// Keys: "m0", "m0/gpu0", "m0/nic0", "leaf0.1" (unit 0, rail 1), "spine0" (of pod 1: "spine1.0"), "core0.1" (above spine 0).
[[nodiscard]] topo::Graph cluster_graph(const Cluster& cluster);
// The link between the two keys; throws when there is none.
[[nodiscard]] topo::Link& link_between(topo::Graph& graph, const std::string& a, const std::string& b);

}  // namespace railgauge::test
