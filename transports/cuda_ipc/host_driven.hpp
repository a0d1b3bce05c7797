// Messages that the host drives (--set cuda_ipc.progress=host), so that they can go beside those of a transport that knows no
// stream: ranks tell each other through memory of the host what lies ready and what is taken, as over shm; blocks are copied
// from one GPU's memory to the other's, and an event behind each copy says to the host that it is done.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "transports/cuda_ipc/peers.hpp"
#include "transports/cuda_ipc/settings.hpp"
#include "transports/shm/endpoint.hpp"
#include "transports/shm/exchange.hpp"
#include "transports/transport.hpp"

namespace railgauge::cuda_ipc {

struct DestroyStream {
  void operator()(CUstream stream) const noexcept;
};
struct DestroyEvent {
  void operator()(CUevent event) const noexcept;
};
using Stream = std::unique_ptr<CUstream_st, DestroyStream>;
using Event = std::unique_ptr<CUevent_st, DestroyEvent>;

// Nothing in its streams ever waits for a peer, so lanes have any pace, and what is in flight is over within moments.
class HostDrivenEndpoint final : public Endpoint {
 public:
  // As Peers; the ranks share a host.
  HostDrivenEndpoint(Group& group, const Place& place, const Options& options);
  void attach(const Region& region) override;
  [[nodiscard]] std::unique_ptr<Exchange> prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) override;
  [[nodiscard]] const Mapping* mapping() const override { return nullptr; }

 private:
  // A region of a peer: where it has it, and where this process does.
  struct Shown {
    std::uintptr_t there = 0;
    std::size_t bytes = 0;
    const std::byte* here = nullptr;
  };
  [[nodiscard]] const std::byte* reach(int rank, const shm::Block& block) const;

  Peers peers_;
  shm::ShmEndpoint words_;                 // what ranks say of their messages; it maps no block
  std::vector<Stream> streams_;            // by lane
  std::vector<std::vector<Shown>> shown_;  // by rank, in the order of attach
};

class HostDrivenExchange final : public Exchange {
 public:
  // Blocks have their sources where this process has them.
  HostDrivenExchange(shm::PreparedRounds prepared, const Group& group, CUstream stream);
  // What is being copied is waited for.
  ~HostDrivenExchange() override;
  HostDrivenExchange(const HostDrivenExchange&) = delete;
  HostDrivenExchange& operator=(const HostDrivenExchange&) = delete;
  void post(std::size_t round) override;
  bool test(std::size_t round) override;

 private:
  // Of blocks from one peer: up to which they are being copied, and the event behind them.
  struct Copies {
    Event done;
    std::size_t end = 0;
    bool under_way = false;
  };
  bool advance(shm::RoundWork::Burst& burst);
  bool begin(const shm::Direction& from, std::size_t first, Copies& copies);
  [[nodiscard]] bool is_done(const Copies& copies, int peer) const;

  shm::PreparedRounds prepared_;
  const Group& group_;
  CUstream stream_;
  std::vector<Copies> copies_;             // by direction of prepared_.incoming
  std::uint64_t run_ = ~std::uint64_t{0};  // the first post of round 0 makes it 0
};

}  // namespace railgauge::cuda_ipc
