// Graphs made by hand for the tests of what judges graphs: a GPU server, a fabric with rails, and any graph at all.
#pragma once

#include <random>
#include <string>

#include "topo/graph.hpp"

namespace railgauge::test {

topo::Node& add_node(topo::Graph& graph, const std::string& key, topo::Kind kind, const std::string& parent,
                     const std::string& name = {});
topo::Link& add_link(topo::Graph& graph, const std::string& a, const std::string& b, topo::LinkKind kind, unsigned a_port = 0,
                     unsigned b_port = 0);

// A machine of two packages with one NUMA node each. GPU k ("0000:KK:00.0") and NIC k ("0000:KK:01.0", device mlx5_k, one active
// port) are below PCIe switch "swK" of their own, half of them on each NUMA node. All PCIe links are x16 Gen5 and in use; each
// GPU has 18 NVLinks to one NVSwitch.
[[nodiscard]] topo::Graph gpu_server(unsigned gpus);

// Hosts "h0", "h1", ... with NICs mlx5_0 to mlx5_(rails-1), of which number k is in leaf k (GUID guid("leaf", k)), port 1 + host;
// every leaf has one 4x NDR cable to every spine. Keys of ports are guid("nic", host * rails + k) and "/1".
[[nodiscard]] topo::Graph rail_fabric(unsigned hosts, unsigned rails, unsigned spines);
[[nodiscard]] std::string guid(const std::string& what, unsigned number);

// The link with that key at either end, at that port; throws when there is none.
[[nodiscard]] topo::Link& link_at(topo::Graph& graph, const std::string& key, unsigned port = 0);
[[nodiscard]] topo::Node& node_at(topo::Graph& graph, const std::string& key);

// Any graph that holds together, with every field filled in here and there. The same state of `random` gives the same graph.
[[nodiscard]] topo::Graph any_graph(std::mt19937& random);

}  // namespace railgauge::test
