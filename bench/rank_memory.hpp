// One rank's buffers on its device, and their mirror in memory of the host: for transports that cannot reach the device's memory,
// and for data that is made and checked by the host.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>

#include "bench/device/device.hpp"
#include "bench/plan/recipe.hpp"
#include "transports/transport.hpp"

namespace railgauge {

class RankMemory {
 public:
  // The devices outlive it. A mirror is as large as the buffers. Throws Error(usage) that names the size when there is not
  // enough.
  RankMemory(Device& device, Device& host, const Abilities& transport, std::size_t bytes);

  // What both together take of the host's memory, before they are there.
  [[nodiscard]] static std::size_t host_bytes(MemoryKind kind, const Abilities& transport, std::size_t bytes);

  // What the endpoint is to have.
  [[nodiscard]] const Region& attached() const;
  // Whether messages pass through the mirror.
  [[nodiscard]] bool staged() const { return staged_; }

  // `offset` bytes behind the beginning.
  [[nodiscard]] std::byte* buffers(std::size_t offset) const { return memory_.region().address + offset; }
  [[nodiscard]] Passage passage(std::size_t offset, bool stream_ordered) const;

  // Hands `fill` the host's view of these bytes, and puts what it wrote into the buffers.
  void write(std::size_t offset, std::size_t bytes, const std::function<void(Bytes)>& fill);
  // The host's view of what is in the buffers now.
  [[nodiscard]] ConstBytes read(std::size_t offset, std::size_t bytes);

 private:
  Memory memory_;
  bool staged_;
  std::optional<Memory> mirror_, pinned_;  // pinned_ ends first
  std::unique_ptr<Compute> mover_;         // null where the host can read and write the buffers
};

}  // namespace railgauge
