// What the ports of this machine have counted so far: bytes and errors, as the kernel tells them. Read before and after
// something, the difference says which way its bytes took.
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
  std::optional<std::uint64_t> sent, received;  // bytes; empty where they are not counted
  std::map<std::string, std::uint64_t> errors;  // those of its counters that count errors
};

// The ports of all RDMA devices and the network interfaces but loopback, by name. An RDMA port that does not count bytes itself,
// as of soft-RoCE, has those of the network interface it stands on, which is then not listed besides. `root` holds another
// machine's /sys; empty: this one's.
[[nodiscard]] std::vector<PortCounters> read_port_counters(const std::filesystem::path& root = {});

}  // namespace railgauge::topo
