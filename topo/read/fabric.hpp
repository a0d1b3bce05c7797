// An InfiniBand fabric as lists of switches, adapters and ports, whoever made the list, and the graph of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topo/graph.hpp"

namespace railgauge::topo {

enum class FabricKind : std::uint8_t { adapter, fabric_switch, router };

struct FabricNode {
  std::string key;  // guid_key() of the node GUID; another name, without a slash, where nobody tells that
  FabricKind kind = FabricKind::adapter;
  std::string description;             // NodeDescription
  std::string host = {}, device = {};  // of an adapter; empty where the description tells them
  unsigned ports = 0;                  // 0 is unknown
  std::size_t line = 0;                // of the list; 0 is unknown
  Attributes attributes;               // "vendor_id", "device_id", "system_guid", "lid", "chassis", "slot"
};

inline constexpr std::size_t no_node = static_cast<std::size_t>(-1);

struct FabricPort {
  std::size_t node = 0;  // its place in Fabric::nodes
  unsigned number = 0;   // from 1
  std::size_t peer = no_node;
  unsigned peer_number = 0;
  Rate active, capable;  // as this end tells them
  LinkState state = LinkState::unknown;
  std::size_t line = 0;
  Attributes attributes;  // "lid", "port_guid", "external_port"
  Counters counters;
};

struct Fabric {
  std::string source;  // of all provenance
  std::string origin;  // for sentences
  std::vector<FabricNode> nodes;
  std::vector<FabricPort> ports;  // in any order; an end that only its peer lists may be left out
};

inline constexpr unsigned most_ports = 254;  // of a switch, by the specification

// The fabric as a graph: machines with their adapters (Kind::nic) and ports, switches, directors' chassis (Kind::rack), SHARP's
// aggregation nodes (Kind::accelerator, below their switch, "role" "aggregation"), and one link for each cable. Ports where
// nothing is plugged in are "ports_down" of a switch ("3-38,40"), "state" "down" of an adapter's port. Throws Error(usage) when
// two nodes have one key, or a port has two peers.
[[nodiscard]] Graph to_graph(Fabric fabric);

// "node7 mlx5_0" and "node7 HCA-1" name a host and its device; of a text that names none both are empty.
struct Description {
  std::string host, device;
};
[[nodiscard]] Description read_description(std::string_view description);

// "MF0;leaf7:MQM9700/U1" names the system, its model and the board with the chip; what a text does not name is empty.
struct SwitchDescription {
  std::string system, model, board;
};
[[nodiscard]] SwitchDescription read_switch_description(std::string_view description);

}  // namespace railgauge::topo
