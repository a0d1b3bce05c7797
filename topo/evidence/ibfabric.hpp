// The InfiniBand fabric that this machine is plugged into, read live: the module ibfabric asks every switch and adapter for what
// it knows, through libibnetdisc.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "topo/evidence/evidence.hpp"

namespace railgauge::topo {

struct FabricQuestion {
  std::string device;  // "mlx5_0"; empty is the first with an active port
  int port = 0;        // 0 is the first active one
  // Besides: the forwarding tables of switches, and what the ports of cables have counted, which takes a subnet manager. They may
  // take half of the deadline; of what was not answered by then the reading says how much it is.
  bool routes = false, counters = false;
  std::chrono::milliseconds deadline = std::chrono::seconds(120);
};

// What the module exports as `railgauge_fabric`.
struct FabricTable {
  std::uint32_t abi;  // plugin_abi
  const char* name;
  // The reading, a line for each node and port. Throws Error(usage). May block for as long as the library does.
  std::string (*discover)(const FabricQuestion&);
};

// A reading of the source "ibfabric". The library waits without end for a driver that does not answer, and may end the process:
// so it runs in a child, which is killed at the deadline. What it warns of stands in the reading as comments. Throws Error(usage)
// that says why there is none: no module, no device, no permission, or the deadline. Changes nothing in the fabric; no subnet
// manager is needed. Only to be called while this process has one thread.
[[nodiscard]] Reading collect_fabric(const FabricQuestion& question, const std::vector<std::filesystem::path>& plugin_folders);

}  // namespace railgauge::topo
