// Takes the fabric between the hosts of a fleet from a topology: which machine each host is, the leaf at the end of each of its
// cables, and the switches and cables above.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/validate/method/fleet.hpp"
#include "topo/graph.hpp"

namespace railgauge::validate {

// An RDMA device by the name that its host has for it ("mlx5_0"), and its GUID as topo::guid_key() writes it. Either is empty
// where it is unknown.
struct HostDevice {
  std::string name, guid;
};
using HostDevices = std::vector<HostDevice>;

// What a topology says of a fleet.
struct FabricFound {
  std::vector<Index> strangers;  // hosts that the topology lacks
  std::vector<Index> loose;      // hosts of the topology with a rail whose leaf is unknown
  std::string shape;             // for people: "rail-optimised, 8 rails, two tiers"
  std::size_t tiers = 0;
  // Names of a few machines of the topology, for a sentence that compares names.
  std::vector<std::string> machines;
};

// Fills in the switches, the cables, and of each host its attachments and its pod. Hosts are matched by name, then by name
// without domain, then by the GUIDs of their devices: one entry for each host, or none at all. A rail's cable is that of the port
// that ranks were told to send by (Attachment::port), where the topology or the host knows it by that name; else, where a host
// has as many cables as rails, the one of the rail's number by the names of the NICs. Switches that are on no shortest path
// between these hosts are left out. Routes are those of the switches' forwarding tables where the topology has them (routes.hpp),
// else unknown. The time is linear in the graph, but for sorting.
[[nodiscard]] FabricFound add_fabric(Fleet& fleet, const topo::Graph& graph, std::span<const HostDevices> devices = {});

}  // namespace railgauge::validate
