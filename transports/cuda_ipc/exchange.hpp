// Runs prepared transfers in a stream, by the GPU's copy engines: the sender writes that a block lies ready, the receiver waits
// for that, copies it from where it lies, and writes that it is taken.
//
//   sender     ready := 1 ... ready := n  wait taken >= n  taken := 0       both words of a pair are 0 again when a run is
//   receiver   wait ready >= n  ready := 0  copy  taken := n                over, so that a CUDA graph can repeat it
//
// Each resets the word that it waits for behind its last wait of the run. The other writes that word again in the next run alone:
// the sender after it has seen `taken` of the last message, which the receiver writes behind its reset; the receiver after it has
// seen `ready`, which the sender writes behind its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "transports/cuda_ipc/endpoint.hpp"

namespace railgauge::cuda_ipc {

// The messages of one round to or from each peer.
struct PreparedRound {
  struct Block {
    const std::byte* source = nullptr;  // in this process
    std::byte* target = nullptr;
    std::size_t bytes = 0;
  };
  struct Direction {
    int peer = 0;
    std::uint64_t messages = 0;  // of a run, up to and with this round
    std::uint64_t taken = 0;     // the number of the last one in the round whose end the receiver tells; 0: of none
    bool last = false;           // of the run, to or from this peer
    std::vector<Block> blocks;   // of receives
  };
  std::vector<Direction> sends, receives;
};

class CudaIpcExchange final : public Exchange {
 public:
  CudaIpcExchange(CudaIpcEndpoint& endpoint, std::size_t lane, std::vector<PreparedRound> rounds)
      : endpoint_(endpoint), lane_(lane), stream_(endpoint.stream(lane)), rounds_(std::move(rounds)) {}
  // What still waits for peers waits no more.
  ~CudaIpcExchange() override { endpoint_.release_waits(); }
  CudaIpcExchange(const CudaIpcExchange&) = delete;
  CudaIpcExchange& operator=(const CudaIpcExchange&) = delete;
  // Puts the round into the stream.
  void post(std::size_t round) override;
  // Always true; now and then asks whether a rank was lost.
  bool test(std::size_t round) override;
  [[nodiscard]] std::size_t operations(std::size_t round) const override;

 private:
  void await(CUdeviceptr counter, std::uint64_t value, int peer) const;
  void tell(CUdeviceptr counter, std::uint64_t value, int peer) const;

  CudaIpcEndpoint& endpoint_;
  std::size_t lane_;
  CUstream stream_;
  std::vector<PreparedRound> rounds_;
  std::uint32_t tests_ = 0;
};

}  // namespace railgauge::cuda_ipc
