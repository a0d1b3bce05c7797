// Connecting queue pairs by rdma_cm: a rank listens at the address of its port's network interface, and the lower rank of a pair
// connects. iWARP connects by nothing else.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "transports/verbs/handles.hpp"

namespace railgauge::verbs {

// One queue pair to be connected.
struct Rendezvous {
  int peer = 0;
  bool active = false;             // this end connects; else it waits for the other to
  std::uint64_t token = 0;         // names the queue pair of the waiting end
  sockaddr_storage there{};        // where the waiting end listens
  std::function<void(CmId)> take;  // makes the queue pair on the identifier, with its receives
};

struct CmParameters {
  std::uint8_t reads = 1;  // RDMA reads and atomics in flight, in each direction
  std::uint8_t retries = 6;
  std::uint8_t timeout = 14;
  std::uint8_t traffic_class = 0;
};

class Listener {
 public:
  // Listens at the first address of the port's interface, IPv4 before IPv6. Throws Error(usage) when it has none.
  Listener(const std::string& device, std::uint8_t port);
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Connects all, in any order. `check` throws when a rank has died. Throws Error(lost) that names the peers that were not
  // reached.
  void connect(std::span<Rendezvous> rendezvous, const CmParameters& parameters, const std::function<void()>& check);

  [[nodiscard]] ibv_context* context() const noexcept { return id_->verbs; }
  [[nodiscard]] const sockaddr_storage& address() const noexcept { return address_; }
  [[nodiscard]] std::uint64_t next_token() noexcept { return ++tokens_; }

 private:
  class Connecting;

  std::string where_;
  CmEvents events_;
  CmId id_;  // goes first
  sockaddr_storage address_{};
  std::uint64_t tokens_ = 0;
};

// "10.0.0.1" or an IPv6 address, without the port.
[[nodiscard]] std::string address_text(const sockaddr_storage& address);

}  // namespace railgauge::verbs
