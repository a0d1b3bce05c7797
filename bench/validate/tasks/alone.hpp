// Measures what one host does without any other: its memory, processors and GPUs, and its NICs with themselves.
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

// Measures the bytes that one rank reads and writes. Takes about `seconds` for each figure. Throws Error(usage) where there is no
// such device or too little memory.
[[nodiscard]] OwnFigures measure_alone(const ChosenDevice& chosen, int rank_of_host, Seconds seconds);

// Measures copies between the host's memory and each GPU, and between each pair of GPUs, one after the other. A host without GPUs
// says so among OwnFigures::unread. `group` is of this process alone. Throws Error(wrong_data) where bytes arrived wrong,
// Error(lost) where a copy does not end.
[[nodiscard]] OwnFigures measure_copies(Group& group, const std::vector<std::filesystem::path>& plugin_folders, Seconds seconds);

// What measure_loopback() streams: `asked` are the ports by which ranks were told to send ("mlx5_0:1"), or empty for all active
// ports that carry traffic between ranks; `bytes` is the size of a message; `settings` are those of the verbs transport.
struct LoopbackOrder {
  std::vector<std::string> asked;
  std::string bytes;
  Settings settings;
};
// Measures what each RDMA port carries from this host to itself, in messages as between two hosts: through the NIC and its PCIe
// link, and not through its cable. Ports whose data the kernel would keep to itself are among OwnFigures::unread.
[[nodiscard]] OwnFigures measure_loopback(const std::vector<KnownTransport>& known, const LoopbackOrder& order,
                                          const SessionOptions& session);

// Throws Error(usage) where messages between two hosts cannot have that size. It is one size, as "256K".
void check_message(const std::string& bytes);

}  // namespace railgauge::validate
