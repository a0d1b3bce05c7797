// The settings of the verbs transport (--set verbs.NAME=VALUE).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "transports/transport.hpp"

namespace railgauge::verbs {

struct Options {
  std::vector<std::string> ports;    // "mlx5_0:1" or "mlx5_0"; the ranks of a host take them round-robin. Empty: the active ones
  std::optional<int> gid;            // index in the port's table; empty: by link layer (gid.hpp)
  std::uint32_t mtu = 0;             // bytes of a packet's payload; 0: the smaller of both ends
  std::uint32_t queue_pairs = 1;     // of each pair of ranks and lane
  std::uint32_t depth = 256;         // work requests that may be in flight on a queue pair, and receives posted
  std::uint32_t inline_bytes = 220;  // messages up to this travel inside the work request, as far as the card can
  bool events = false;               // sleep until the card reports instead of polling
  bool polling = false;              // poll, also where ranks share cores; with neither, those sleep
  bool cm = false;                   // connect by rdma_cm instead of over the control tree; iWARP always does
  std::uint32_t timeout = 14;        // of an acknowledgement: 4.096 us * 2^timeout; 0: for ever
  std::uint32_t retries = 6;         // after that; soft-RoCE takes 7 for "for ever", and a cut cable would never be noticed
  std::uint32_t service_level = 0;
  std::uint32_t traffic_class = 0;
  std::uint32_t pkey = 0;          // index in the port's table
  std::uint32_t post_list = 1;     // work requests that are handed over together, of the card's own operations
  std::uint32_t signal_every = 0;  // of those, so many for each completion that is asked for; 0: a quarter of the depth
  bool wrong_key = false;          // spoil the key of every write, to see what comes of it
};

// Throws Error(usage) that lists the names when one is unknown, or says what a value must be.
[[nodiscard]] Options read_options(const Settings& settings);

}  // namespace railgauge::verbs
