// The RDMA ports of a machine that ranks should send by.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topo/graph.hpp"

namespace railgauge::topo {

struct ComputePort {
  std::string name;  // "mlx5_0/1"
  std::string numa;  // key of the NUMA node it hangs below, "numa0"; empty where nothing says so
  std::string nic;   // key of its NIC
};

// The active ports of the machine's NICs that are there for traffic between ranks (topo/roles.hpp), in the order of the graph.
// `machine` is a key.
[[nodiscard]] std::vector<ComputePort> compute_ports(const Graph& graph, std::string_view machine);

}  // namespace railgauge::topo
