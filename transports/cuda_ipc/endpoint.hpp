// One rank's end where messages are put into the GPU's stream: its flags on its GPU, which the others set, and the memory of the
// others as this process' GPU sees it.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "transports/cuda_ipc/memory.hpp"
#include "transports/cuda_ipc/peers.hpp"
#include "transports/cuda_ipc/settings.hpp"
#include "transports/transport.hpp"

namespace railgauge::cuda_ipc {

class CudaIpcEndpoint final : public Endpoint {
 public:
  // As Peers; all memory that is shared is closed and freed in the end.
  CudaIpcEndpoint(Group& group, const Place& place, const Options& options);
  ~CudaIpcEndpoint() override;
  CudaIpcEndpoint(const CudaIpcEndpoint&) = delete;
  CudaIpcEndpoint& operator=(const CudaIpcEndpoint&) = delete;
  void attach(const Region& region) override;
  // Rounds of all lanes of one stream are in the order in which they are posted, which must be one that all ranks have in common.
  [[nodiscard]] std::unique_ptr<Exchange> prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) override;
  [[nodiscard]] const Mapping* mapping() const override { return &mapping_; }

  [[nodiscard]] Group& group() const { return peers_.group(); }
  [[nodiscard]] CUstream stream(std::size_t lane) const { return streams_[lane]; }
  // Where rank `owner` awaits what `other` says of messages in this lane: how many of a run are ready, or are taken.
  [[nodiscard]] CUdeviceptr ready(std::size_t lane, int owner, int other) const { return counter(lane, owner, other); }
  [[nodiscard]] CUdeviceptr taken(std::size_t lane, int owner, int other) const { return counter(lane, owner, other) + line; }
  [[nodiscard]] const std::vector<Region>& regions() const { return regions_; }
  [[nodiscard]] std::byte* region(int rank, std::size_t k) const {
    return mapping_.regions[static_cast<std::size_t>(rank)].at(k);
  }

  // Ends what waits in the streams for peers, in at most a few seconds: what it was to bring is not there then. Nothing where all
  // is over.
  void release_waits() noexcept;

 private:
  static constexpr std::size_t line = 64;
  [[nodiscard]] std::size_t place_of(std::size_t lane, int peer) const {
    return lane * static_cast<std::size_t>(group().size()) + static_cast<std::size_t>(peer);
  }
  [[nodiscard]] CUdeviceptr counter(std::size_t lane, int owner, int other) const;
  [[nodiscard]] bool busy() const noexcept;

  std::vector<CUstream> streams_;
  std::vector<Region> regions_;
  // In the order in which they must go, from the last.
  Allocation control_;  // flags, then counters
  Peers peers_;
  std::vector<std::byte*> controls_;  // by rank
  Mapping mapping_;
  CUstream aside_ = nullptr;  // by which waits are released; null: none had to be
};

}  // namespace railgauge::cuda_ipc
