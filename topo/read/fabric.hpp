// An InfiniBand fabric as lists of nodes and ports, from any source, and its conversion to a graph.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topo/graph.hpp"

namespace railgauge::topo {

enum class FabricKind : std::uint8_t { adapter, fabric_switch, router };

struct FabricNode {
  std::string key;  // guid_key() of the node GUID
  FabricKind kind = FabricKind::adapter;
  std::string description;  // NodeDescription
  unsigned ports = 0;       // 0 is unknown
  std::size_t line = 0;     // in the source; 0 is unknown
  Attributes attributes;    // "vendor_id", "device_id", "system_guid", "lid", "chassis", "slot"
};

inline constexpr std::size_t no_node = static_cast<std::size_t>(-1);

struct FabricPort {
  std::size_t node = 0;        // place in Fabric::nodes
  unsigned number = 0;         // from 1
  std::size_t peer = no_node;  // place in Fabric::nodes
  unsigned peer_number = 0;
  Rate active, capable;  // as this end reports them
  LinkState state = LinkState::unknown;
  std::size_t line = 0;
  Attributes attributes;  // "lid", "port_guid", "external_port"
  Counters counters;
};

struct Fabric {
  std::string source;  // provenance of all nodes and links
  std::string origin;  // for messages
  std::vector<FabricNode> nodes;
  std::vector<FabricPort> ports;  // in any order; a port that is the peer of another may be left out
};

inline constexpr unsigned most_ports = 254;  // of a switch (InfiniBand Architecture Specification)

// The fabric as a graph: machines with their adapters (Kind::nic) and ports, switches, directors' chassis (Kind::rack), SHARP's
// aggregation nodes (Kind::accelerator, below their switch, "role" "aggregation"), and one link for each cable. Ports
// without a cable are in the attribute "ports_down" of a switch ("3-38,40"); an adapter's has "state" "down". Throws Error(usage)
// when two nodes have the same key or a port has two peers.
[[nodiscard]] Graph to_graph(Fabric fabric);

// The host and device of a NodeDescription such as "node7 mlx5_0" or "node7 HCA-1"; both empty when it names none.
struct Description {
  std::string host, device;
};
[[nodiscard]] Description read_description(std::string_view description);

// The system, model and board of a NodeDescription such as "MF0;leaf7:MQM9700/U1"; a part that it does not name is empty.
struct SwitchDescription {
  std::string system, model, board;
};
[[nodiscard]] SwitchDescription read_switch_description(std::string_view description);

}  // namespace railgauge::topo
