// One rank's end: its counters, which the others see, and the memory of the others as this process sees it.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "transports/shm/segment.hpp"
#include "transports/shm/settings.hpp"
#include "transports/transport.hpp"

namespace railgauge::shm {

// A counter that one rank sets and one awaits, alone in its cache line.
using Counter = std::atomic<std::uint64_t>;

// What the endpoint knows of one peer (or of its own rank).
struct Peer {
  pid_t process = 0;
  Window control;               // its flags, then its counters
  std::vector<Window> windows;  // its k-th region; empty where it has no descriptor
  [[nodiscard]] std::byte* region(std::size_t k) const { return windows[k].address(); }
};

class ShmEndpoint final : public Endpoint {
 public:
  ShmEndpoint(Group& group, std::size_t lanes, const ShmSettings& settings);  // throws Error(usage)
  void attach(const Region& region) override;
  [[nodiscard]] std::unique_ptr<Exchange> prepare(std::size_t lane, std::vector<std::vector<Message>> rounds) override;
  [[nodiscard]] const Mapping* mapping() const override { return mapped_ && slow_rank_ < 0 ? &mapping_ : nullptr; }

  [[nodiscard]] Group& group() const { return group_; }
  [[nodiscard]] const Peer& peer(int rank) const { return peers_[static_cast<std::size_t>(rank)]; }
  // The number of a counter of this rank that no Exchange has had, 0 in all eyes. Throws Error(usage) when there is none left.
  [[nodiscard]] std::uint64_t new_counter();
  // Counter `number` of a rank.
  [[nodiscard]] Counter& counter(int rank, std::uint64_t number) const;
  [[nodiscard]] const std::vector<Region>& regions() const { return regions_; }

 private:
  Group& group_;
  std::size_t lanes_;
  bool mapped_;
  int slow_rank_;
  double slow_times_;
  std::uint64_t counters_used_ = 0;
  std::vector<Region> regions_;
  std::vector<Peer> peers_;
  Mapping mapping_;
};

}  // namespace railgauge::shm
