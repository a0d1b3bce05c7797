// Reads what this host says of itself. Each source runs in a process of its own, so that a driver that hangs costs seconds and a
// line.
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

// A network interface as the kernel's sockets describe it, whatever /sys shows.
struct Interface {
  std::string name, kind;               // "eth0", "veth"; kind is empty for a card
  std::string state;                    // "up", "down", "lowerlayerdown", "dormant", ...
  std::string hardware_address, queue;  // "52:54:00:12:34:56", "mq"
  std::uint32_t mtu = 0, ipv4 = 0;      // ipv4: how many addresses
  std::optional<std::uint32_t> carrier_changes;
  std::map<std::string, std::uint64_t> errors;  // "rx_errors"
  // Each has its value, or the reason why it cannot be read.
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
  std::string host;            // as the launcher gives it; empty: the kernel's name
  std::filesystem::path root;  // stands in front of /sys, /proc and /dev; empty: this machine
  std::string nvml = "libnvidia-ml.so.1";
  Extent extent = Extent::all;
  // Those of granting_variables() that are set: main alone reads the environment.
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::pair<std::string, std::string>> versions;  // of libraries: {"ucx", "1.18.0"}
  std::chrono::milliseconds patience{3000};                   // how long a source may show no progress
  std::chrono::milliseconds all{12'000};  // how long all sources may take: what was not begun by then is unread
  // Sources of what no file tells; they throw std::exception with the reason. Empty: the network namespace of this process, and
  // the file systems below the root.
  std::function<std::vector<Interface>()> interfaces;
  std::function<Space(const std::filesystem::path&)> space;
};

// Returns the variables by which launchers say which GPUs they granted to a process: "CUDA_VISIBLE_DEVICES", ...
[[nodiscard]] std::vector<std::string> granting_variables();

// Reads all sources. What is missing is an unread fact, and no error. The function forks: call it before and after a measurement,
// and not while endpoints transfer. Throws Error(usage) when the system has no process or pipe left.
[[nodiscard]] HostFacts read_facts(const ReadOptions& options);

// Returns the interfaces of this process's network namespace. Throws Error(usage), which names the call that failed.
[[nodiscard]] std::vector<Interface> kernel_interfaces();

// A counter of errors that grew from one reading to the next.
struct Growth {
  std::string subject, name;  // "mlx5_0/1", "counter symbol_error"; "eth0", "carrier changes"
  std::uint64_t before = 0, after = 0;
  bool reset = false;  // it was reset in between: at least `after` errors came
  friend bool operator==(const Growth&, const Growth&) = default;
};
// Returns the counters that grew, in the order of `after`; those that only one of the readings has are left out.
[[nodiscard]] std::vector<Growth> grown(const HostFacts& before, const HostFacts& after);

}  // namespace railgauge::topo::preflight
