// When a rank's injected fault happens: counts the posts and the transfers of one rank.
#pragma once

#include <cstdint>

#include "transports/memory/settings.hpp"

namespace railgauge::memory {

// Of one rank of a group; used by that rank's thread alone. Counts over all endpoints that one Transport has connected.
class Injection {
 public:
  // Draws what the order leaves open: the rank among `size`, the round or the transfer among the first hundred.
  Injection(const FaultOrder& order, int rank, int size);

  // Throws Error(lost) where the rank is ordered to die.
  void post() {
    if (posts_++ == fatal_post_) die();
  }
  // What happens to the next transfer that is not empty.
  [[nodiscard]] FaultKind transfer() { return transfers_++ == struck_transfer_ ? kind_ : FaultKind::none; }
  void stall() { stalled_ = true; }
  [[nodiscard]] bool stalled() const { return stalled_; }
  // Which byte of a message of `bytes` (not 0) is inverted.
  [[nodiscard]] std::size_t struck_byte(std::size_t bytes) const { return static_cast<std::size_t>(byte_ % bytes); }

 private:
  [[noreturn]] void die() const;

  FaultKind kind_ = FaultKind::none;
  int rank_;
  std::uint64_t posts_ = 0, transfers_ = 0;
  std::uint64_t fatal_post_ = never, struck_transfer_ = never;
  std::uint64_t byte_ = 0;
  bool stalled_ = false;

  static constexpr std::uint64_t never = ~std::uint64_t{0};
};

}  // namespace railgauge::memory
