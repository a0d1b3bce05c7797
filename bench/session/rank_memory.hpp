// One rank's buffers on its device, and their mirror in host memory: for transports that cannot access the device's memory, and
// for data that the host makes and checks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "bench/device/device.hpp"
#include "bench/plan/collective_spec.hpp"
#include "transports/group.hpp"
#include "transports/transport.hpp"

namespace railgauge {

// Whether the transport takes buffers of this kind, or tries to (Endpoint::refusal()).
[[nodiscard]] bool may_reach(const Abilities& transport, MemoryKind kind);

// Collective: checks that the memory of each host suffices for all its ranks together, since each rank alone would count memory
// that the others take a moment later. `bytes`: host memory for this rank. Throws Error(usage) that names the host.
void expect_room(Group& group, std::size_t bytes);

class RankMemory {
 public:
  // Whether messages leave from the buffers themselves: where they can, or not at all, or else the run is refused.
  enum class Direct : std::uint8_t { where_it_can, never, always };

  struct Devices {
    Device& device;
    MemoryKind kind;  // of its memory
    Device& host;
  };

  // Collective: all ranks choose the same data path. The devices outlive it. The buffers come from the endpoint where it has
  // memory of its own (transports/allocator.hpp), else from the device; a mirror is as large as they are. Throws Error(usage)
  // that names the size when there is not enough, or says why messages cannot leave from the buffers where they must.
  RankMemory(Group& group, Endpoint& endpoint, const Devices& devices, const Abilities& transport, std::size_t bytes,
             Direct direct);
  // After the endpoint. Leaks memory that the device still uses after a few seconds: the calls that free it wait for all work of
  // the device, and work that waits for a lost rank may never end.
  ~RankMemory();
  RankMemory(const RankMemory&) = delete;
  RankMemory& operator=(const RankMemory&) = delete;

  // The bytes of host memory that buffers and mirror take together; valid before either is allocated.
  [[nodiscard]] static std::size_t host_bytes(MemoryKind kind, const Abilities& transport, std::size_t bytes);

  // The region for Endpoint::attach().
  [[nodiscard]] const Region& attached() const;
  // Whether messages pass through the mirror, and the reason as a sentence fragment.
  [[nodiscard]] bool staged() const { return !reason_.empty(); }
  [[nodiscard]] const std::string& reason() const { return reason_; }

  // The address `offset` bytes into the buffers. Owned by this object.
  [[nodiscard]] std::byte* buffers(std::size_t offset) const { return held_->buffers.region().address + offset; }
  [[nodiscard]] DataPath data_path(std::size_t offset, bool stream_ordered, LaneQueues* queues) const;

  // Calls `fill` with a host view of these bytes, and writes its data into the buffers.
  void write(std::size_t offset, std::size_t bytes, const std::function<void(Bytes)>& fill);
  // A host view of the current bytes of the buffers; valid until the next call.
  [[nodiscard]] ConstBytes read(std::size_t offset, std::size_t bytes);

 private:
  struct Held {
    Memory buffers;
    std::optional<Memory> mirror, pinned;  // pinned ends first
  };
  Device& device_;
  std::unique_ptr<Held> held_;
  std::string reason_;
  std::unique_ptr<Compute> mover_;  // null where the host can read and write the buffers
};

}  // namespace railgauge
