// What a rank tells a peer so that their queue pairs meet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "transports/transport.hpp"
#include "transports/verbs/listener.hpp"
#include "transports/verbs/port.hpp"

namespace railgauge::verbs {

struct Address {
  // One queue pair. `number` and `first_packet` are of one that this rank has made; `token` of one that waits for rdma_cm.
  struct QueuePair {
    std::uint64_t number = 0, first_packet = 0, token = 0;
    std::uint64_t consumed = 0, consumed_key = 0;  // where the peer writes how many receives it has posted again
  };
  std::uint64_t lid = 0, mtu = 0, reads = 0;  // mtu: bytes; reads: RDMA reads in flight that the device answers
  std::uint64_t ethernet = 0, iwarp = 0, cm = 0;
  std::uint64_t routed = 0;              // InfiniBand whose packets need a global header (virtual functions, for example)
  std::uint64_t receives = 0;            // posted on each queue pair
  std::uint64_t left = 0, left_key = 0;  // where the peer says that it is about to go
  ibv_gid gid{};
  sockaddr_storage listens{};
  std::vector<QueuePair> ends;
  std::string where;  // "mlx5_0/1"
};

// What is the same for all queue pairs of a port; the rest is left out.
[[nodiscard]] Address address_of(const Port& port, std::uint32_t mtu);

void append(std::vector<std::uint64_t>& words, const Address& address);
// Takes an address from the front of `words`; throws Error(usage) that names the peer when there is none.
[[nodiscard]] Address take_address(std::span<const std::uint64_t>& words, int peer);

// "rank 3 (node b, mlx5_0/1, GID 10.0.0.2)".
[[nodiscard]] std::string peer_text(int rank, const std::string& node, const Address& address);

// Throws Error(usage) that says why two ports cannot be connected: one is iWARP, InfiniBand or connected by rdma_cm, and the
// other is not.
void check_compatible(const Address& mine, int rank, const Address& theirs, int peer);

}  // namespace railgauge::verbs
