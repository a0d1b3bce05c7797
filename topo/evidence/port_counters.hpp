// The byte and error counters of this machine's ports, from the kernel. The difference between a reading before a transfer and
// one after it shows which ports carried its bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace railgauge::topo {

struct PortCounters {
  std::string port;                             // "mlx5_0/1" of an RDMA device, "eth0" of a network interface
  std::optional<std::uint64_t> sent, received;  // bytes; empty where the port does not count them
  std::map<std::string, std::uint64_t> errors;  // its error counters, by the kernel's names
};

// The ports of all RDMA devices and all network interfaces except loopback, sorted by name. An RDMA port without byte counters,
// as of soft-RoCE, has the counters of its network interface, which is then not listed itself. `root` is a folder with another
// machine's /sys; empty: this machine's. Never throws.
[[nodiscard]] std::vector<PortCounters> read_port_counters(const std::filesystem::path& root = {});

}  // namespace railgauge::topo
