// The ranks whose GPU memory this rank reaches, and what it has open of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "transports/cuda_ipc/descriptors.hpp"
#include "transports/cuda_ipc/memory.hpp"
#include "transports/cuda_ipc/settings.hpp"
#include "transports/transport.hpp"

namespace railgauge::cuda_ipc {

class Peers {
 public:
  // Collective. Needs Place::LaneResources::stream, and a context of the GPU in this thread. Throws Error(usage) that names both
  // ranks and their GPUs where one cannot reach the other's memory, or where they are set up differently.
  Peers(Group& group, const Place& place, const Options& options);
  // Collective, unless something is being thrown: all ranks close what they have of each other's memory, then meet, at most until
  // the deadline of the group, so that nobody frees what another has open.
  ~Peers();
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  // Collective: shows the others memory of this rank, and opens what they show at the same time. Element r is where that of rank
  // r begins in this process. Throws Error(usage) that names both ranks, their GPUs and the call.
  [[nodiscard]] std::vector<std::byte*> share(std::byte* address, std::size_t bytes);
  // Leaves open what is open, until the process ends: closing it would wait for what never ends.
  void leave() noexcept;

  [[nodiscard]] Group& group() const { return group_; }
  // Ranks on the GPU of this rank, itself among them.
  [[nodiscard]] std::uint32_t sharers() const { return sharers_; }
  [[nodiscard]] std::string party(int rank) const;  // for sentences: "rank 1 (GPU-7a...)"

 private:
  Group& group_;
  HandleKind handles_;
  int thrown_before_;
  std::uint32_t sharers_ = 0;
  std::vector<std::string> gpus_;                  // by rank
  std::vector<Window> windows_;                    // all memory of others
  std::optional<DescriptorExchange> descriptors_;  // of HandleKind::fd
};

// Throws Error(usage) unless it is a GPU's own.
void expect_gpu_memory(const Region& region);

}  // namespace railgauge::cuda_ipc
