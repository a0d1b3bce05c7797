// What the hosts of all processes of a run know, told to each other whenever one has seen that something is over. They speak by
// ways that the machine does not see (sockets, barriers, memory of theirs): whatever was known anywhere before a call counts as
// known to it. So a host that forgets to wait for another is not found; a GPU that does is.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tests/softgpu/machine/order.hpp"

namespace softgpu {

class Hosts {
 public:
  static constexpr std::size_t most = 1000;
  // In memory that all processes share, zeroed at first.
  struct Directory {
    std::atomic<std::uint32_t> count;
    std::array<std::atomic<std::uint32_t>, most> place;
  };

  Hosts(World& world, Directory& directory);
  void tell(const Actor& host);
  void hear(Actor& host);

 private:
  World& world_;
  Directory& directory_;
  std::uint32_t place_;
  std::array<std::uint32_t, most> heard_{};  // versions
};

}  // namespace softgpu
