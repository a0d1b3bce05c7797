// Reads the live InfiniBand fabric of this machine: the module ibfabric queries every switch and adapter through libibnetdisc.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "topo/evidence/evidence.hpp"

namespace railgauge::topo {

struct FabricQuestion {
  std::string device;  // "mlx5_0"; empty: the first with an active port
  int port = 0;        // 0: the first active one
  // Also read the forwarding tables of switches, and the counters of ports, which need a subnet manager. They may take half of
  // the deadline; the reading says how many did not answer by then.
  bool routes = false, counters = false;
  std::chrono::milliseconds deadline = std::chrono::seconds(120);
};

// The module exports this table as `railgauge_fabric`.
struct FabricTable {
  std::uint32_t abi;  // plugin_abi
  const char* name;
  // Gives the reading, a line for each node and port. Throws Error(usage). May block for as long as the library does.
  std::string (*discover)(const FabricQuestion&);
};

// Gives a reading of the source "ibfabric". The library waits without end for a driver that does not answer, and may end the
// process, so it runs in a child, which is killed at the deadline. The reading holds its warnings as comments. Throws
// Error(usage) with the reason: no module, no device, no permission, or the deadline. Changes nothing in the fabric and needs no
// subnet manager. The process must have a single thread at the call.
[[nodiscard]] Reading collect_fabric(const FabricQuestion& question, const std::vector<std::filesystem::path>& plugin_folders);

}  // namespace railgauge::topo
