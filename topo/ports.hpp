// The RDMA ports of a machine for traffic between ranks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topo/graph.hpp"

namespace railgauge::topo {

struct ComputePort {
  std::string name;  // "mlx5_0/1"
  std::string numa;  // key of its NUMA node, "numa0"; empty when unknown
  std::string nic;   // key of its NIC
};

// The active ports of the machine's compute NICs (topo/roles.hpp), in the order of the graph. `machine` is a key.
[[nodiscard]] std::vector<ComputePort> compute_ports(const Graph& graph, std::string_view machine);

}  // namespace railgauge::topo
