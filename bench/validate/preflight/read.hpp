// Reads what this host says of itself: each source in a process of its own, so that a driver that hangs costs seconds and a line.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/validate/preflight/facts.hpp"

namespace railgauge::topo::preflight {

// A network interface as the kernel's sockets tell of it, whatever /sys shows.
struct Interface {
  std::string name, kind;               // "eth0", "veth"; kind is empty for a card
  std::string state;                    // "up", "down", "lowerlayerdown", "dormant", ...
  std::string hardware_address, queue;  // "52:54:00:12:34:56", "mq"
  std::uint32_t mtu = 0, ipv4 = 0;      // ipv4: how many addresses
  std::optional<std::uint32_t> carrier_changes;
  std::map<std::string, std::uint64_t> errors;  // "rx_errors"
  // Each with its value, or why it cannot be read.
  Fact speed, driver, driver_version, firmware, pause, pfc;
};

struct Space {
  std::uint64_t size = 0, free = 0;  // bytes
};

enum class Extent : std::uint8_t {
  all,
  counters  // only what grown() compares: for a second reading
};

struct ReadOptions {
  std::string host;            // as the launcher says it; empty: as the kernel does
  std::filesystem::path root;  // stands in front of /sys, /proc and /dev; empty: this machine
  std::string nvml = "libnvidia-ml.so.1";
  Extent extent = Extent::all;
  // Of the names in granting_variables(), those that are set: the environment is read by main.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::pair<std::string, std::string>> versions;  // of libraries: {"ucx", "1.18.0"}
  std::chrono::milliseconds patience{3000};                   // with a source that shows no progress
  std::chrono::milliseconds all{12'000};                      // for everything: what was not begun by then is unread
  // What no file tells. Empty: of this process's network namespace and of the root's own file systems. They throw
  // std::exception with the reason.
  std::function<std::vector<Interface>()> interfaces;
  std::function<Space(const std::filesystem::path&)> space;
};

// Variables by which launchers say which GPUs a process was granted: "CUDA_VISIBLE_DEVICES", ...
[[nodiscard]] std::vector<std::string> granting_variables();

// Never throws for what is missing: that is a fact that is unread. Forks, so call it before and after a measurement, not while
// endpoints transfer. Throws Error(usage) when the system has no process or pipe to give.
[[nodiscard]] HostFacts read_facts(const ReadOptions& options);

// Of this process's network namespace. Throws Error(usage) that names the call.
[[nodiscard]] std::vector<Interface> kernel_interfaces();

// Counters of errors that grew from one reading to the next.
struct Growth {
  std::string subject, name;  // "mlx5_0/1", "counter symbol_error"; "eth0", "carrier changes"
  std::uint64_t before = 0, after = 0;
  bool reset = false;  // it began anew in between: `after` is the least that came
  friend bool operator==(const Growth&, const Growth&) = default;
};
// In the order of `after`. What only one of them has read is left out.
[[nodiscard]] std::vector<Growth> grown(const HostFacts& before, const HostFacts& after);

}  // namespace railgauge::topo::preflight
