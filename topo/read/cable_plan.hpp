// A cable plan: a table (CSV) with a line for each cable and columns for the device and port at both of its ends.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

// Of one end: places of columns.
struct PlanEnd {
  std::optional<std::size_t> device, adapter, port;
  bool host = false, fabric_switch = false;  // what the head says that it is
};
struct PlanColumns {
  PlanEnd a, b;
  std::optional<std::size_t> speed;
};

// Columns by the words of their names, in any order: "from host", "Source Port", "StartDevice", "switch port", "Z end device".
// Nothing when a device or a port of one end is missing.
[[nodiscard]] std::optional<PlanColumns> plan_columns(const std::vector<std::string>& head);

// Whether the first line that is no comment is such a head, with commas, semicolons or tabs between its columns.
[[nodiscard]] bool is_cable_plan(std::string_view text);

// Hosts are machines with adapters and ports, all others switches; keys are names. A host's port is an adapter ("mlx5_0",
// "HCA-1", "mlx5_0/1") or a number, which counts the ports of the host's adapters in their order: "position" of the adapter says
// so. A switch's port is a number, also as "Port 26", "swp26", "IB1/26" or, where a cage holds two, "sw13p2", "13/2" and
// "1/13/2". Throws Error(usage) that names the line.
[[nodiscard]] Graph read_cable_plan(const Reading&);

}  // namespace railgauge::topo
