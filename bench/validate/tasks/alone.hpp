// What one host can do without any other: its own memory, processors and GPUs, and its NICs with themselves.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "bench/device/registry.hpp"
#include "bench/session/session.hpp"
#include "bench/validate/orders/orders.hpp"
#include "transports/registry/registry.hpp"

namespace railgauge::validate {

// Of one rank: bytes read and written. Takes about `seconds` for each figure. Throws Error(usage) where there is no such device
// or too little memory.
[[nodiscard]] OwnFigures measure_alone(const ChosenDevice& chosen, int rank_of_host, Seconds seconds);

// Copies between the host's memory and each GPU, and between each two GPUs, one after the other. Where there is none, that is
// said. `group` is of this process alone. Throws Error(wrong_data) where bytes arrived wrong, Error(lost) where a copy does not
// end.
[[nodiscard]] OwnFigures measure_copies(Group& group, const std::vector<std::filesystem::path>& plugin_folders, Seconds seconds);

// What each RDMA port carries from this host to itself, in a stream of messages as between two hosts: through the NIC and its
// PCIe link, and not through its cable. `asked`: ports as ranks were told to send by, "mlx5_0:1"; empty: all that are active and
// there for traffic between ranks. `settings`: of the verbs transport. Other ports, whose data the kernel would keep to itself,
// are said to be unread.
struct LoopbackOrder {
  std::vector<std::string> asked;
  std::string bytes;
  Settings settings;
};
[[nodiscard]] OwnFigures measure_loopback(const std::vector<KnownTransport>& known, const LoopbackOrder& order,
                                          const SessionOptions& session);

// Throws Error(usage) where messages between two hosts cannot have that size: one, as "256K".
void check_message(const std::string& bytes);

}  // namespace railgauge::validate
