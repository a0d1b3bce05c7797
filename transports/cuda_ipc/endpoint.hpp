// One rank's end: its flags on its GPU, which the others set, and the memory of the others as this process' GPU sees it.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "transports/cuda_ipc/memory.hpp"
#include "transports/cuda_ipc/settings.hpp"
#include "transports/transport.hpp"

namespace railgauge::cuda_ipc {

// What this rank counts of one peer in one lane: messages of all Exchanges so far. Each says its count in the other's memory.
struct Pair {
  std::uint64_t sent = 0, received = 0;
};

class CudaIpcEndpoint final : public Endpoint {
 public:
  // Needs Place::Lane::stream, and a context of the GPU in this thread. Throws Error(usage) that names both ranks and their GPUs
  // where one cannot reach the other's memory.
  CudaIpcEndpoint(Group& group, const Place& place, const Options& options);
  // Collective, unless something is being thrown: all ranks close what they have of each other's memory, then meet, at most until
  // the deadline of the group, so that nobody frees what another has open.
  ~CudaIpcEndpoint() override;
  CudaIpcEndpoint(const CudaIpcEndpoint&) = delete;
  CudaIpcEndpoint& operator=(const CudaIpcEndpoint&) = delete;
  void attach(const Region& region) override;
  // Rounds of lanes in one stream are in the order in which they are posted, which must be one that all ranks have in common.
  [[nodiscard]] std::unique_ptr<Exchange> prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) override;
  [[nodiscard]] const Mapping* mapping() const override { return &mapping_; }

  [[nodiscard]] Group& group() const { return group_; }
  [[nodiscard]] CUstream stream(std::size_t lane) const { return streams_[lane]; }
  [[nodiscard]] Pair& pair(std::size_t lane, int peer) { return pairs_[place_of(lane, peer)]; }
  // Where rank `owner` awaits what `other` says of messages in this lane: that they are ready, or that they are taken.
  [[nodiscard]] CUdeviceptr ready(std::size_t lane, int owner, int other) const { return counter(lane, owner, other); }
  [[nodiscard]] CUdeviceptr taken(std::size_t lane, int owner, int other) const { return counter(lane, owner, other) + line; }
  // In which region of this rank a message lies, and how far into it. Throws Error(usage) when in none.
  struct Spot {
    std::size_t region = 0;
    std::uint64_t offset = 0;
  };
  [[nodiscard]] Spot locate(const Message& message, std::size_t round) const;
  [[nodiscard]] std::byte* region(int rank, std::size_t k) const {
    return mapping_.regions[static_cast<std::size_t>(rank)].at(k);
  }

  // Ends what waits in the streams for peers, in at most a few seconds: what it was to bring is not there then. Nothing where all
  // is over.
  void release_waits() noexcept;

 private:
  static constexpr std::size_t line = 64;
  [[nodiscard]] std::size_t place_of(std::size_t lane, int peer) const {
    return lane * static_cast<std::size_t>(group_.size()) + static_cast<std::size_t>(peer);
  }
  [[nodiscard]] CUdeviceptr counter(std::size_t lane, int owner, int other) const;
  [[nodiscard]] bool busy() const noexcept;
  [[nodiscard]] std::string party(int rank) const;
  [[nodiscard]] Window open(const Handle& handle, int owner) const;
  void meet();

  Group& group_;
  Options options_;
  int thrown_before_;
  std::vector<CUstream> streams_;
  std::vector<std::string> gpus_;   // by rank
  std::vector<std::string> hosts_;  // by rank
  std::vector<Pair> pairs_;         // [lane * ranks + peer]
  std::vector<Region> regions_;
  // In the order in which they must go.
  Allocation control_;                // flags, then counters
  std::vector<Shared> shared_;        // what was told of this rank's memory
  std::vector<Window> windows_;       // all memory of others
  std::vector<std::byte*> controls_;  // by rank
  Mapping mapping_;
  bool released_ = false;
};

}  // namespace railgauge::cuda_ipc
