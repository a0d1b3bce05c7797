// The channels of one rank over one endpoint: that of all ranks, or a communicator's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/device/device.hpp"
#include "bench/measure/check.hpp"
#include "bench/plan/collective_spec.hpp"
#include "bench/session/rank_memory.hpp"
#include "bench/workload/channels.hpp"
#include "transports/group.hpp"
#include "transports/registry/registry.hpp"
#include "transports/transport.hpp"

namespace railgauge {

// What all endpoints of a rank have in common. Everything outlives them.
struct RankSetup {
  const ChosenTransport& chosen;
  Transport& transport;
  Device& device;  // of the buffers
  Device& host;
  MemoryKind memory = MemoryKind::host;  // of `device`
  const char* memory_name = "host";
  std::size_t most_operands = 0;  // of a reduction; 0: any number
  std::size_t streams = 1;        // of the device, in which endpoints work at the same time
  bool oversubscribed = false;
};

// A channel, and the ranks of the endpoint that are its ranks, in its order.
struct MemberChannel {
  std::size_t channel = 0;  // its number in the workload
  const Channel* row = nullptr;
  std::vector<int> ranks;
};

class ChannelPlans {
 public:
  // Collective over the group, which outlives it: connects, allocates, and prepares the channels, which have this rank among
  // theirs and are in the order that all ranks have in common. What works in a stream works in the device's `stream`. Throws
  // Error(usage) where memory is short, or the transport takes none of its kind.
  ChannelPlans(Group& group, const RankSetup& setup, std::size_t stream, const std::vector<MemberChannel>& channels);
  ChannelPlans(const ChannelPlans&) = delete;
  ChannelPlans& operator=(const ChannelPlans&) = delete;
  ~ChannelPlans();

  // To close or free memory waits for all that the device has in flight. Of several that share it, all end their plans, then
  // their endpoints, both of which give up what is in flight where a rank is lost; and then they are destroyed. Collective
  // otherwise.
  void end_plans() noexcept;
  void disconnect() noexcept;

  [[nodiscard]] Endpoint& endpoint() const { return *endpoint_; }
  // Any memory of the endpoint, for messages without bytes.
  [[nodiscard]] std::byte* memory() const { return memory_->buffers(0); }
  // Why messages pass through memory of the host, a sentence fragment; empty where they do not.
  [[nodiscard]] const std::string& why_staged() const { return memory_->reason(); }

  // What follows is of the i-th channel.
  [[nodiscard]] Runnable& plan(std::size_t i) const;
  [[nodiscard]] const Algorithm& algorithm(std::size_t i) const;
  // Fills the input and poisons the output; and the first wrong element, where there is one. `epoch`: of the data.
  void restore(std::size_t i, std::uint64_t epoch);
  [[nodiscard]] std::optional<Mistake> check(std::size_t i, std::uint64_t epoch) const;

 private:
  struct Prepared;
  [[nodiscard]] std::unique_ptr<Prepared> specify(const MemberChannel& member) const;
  [[nodiscard]] std::vector<bool> served_by_library();
  void choose_algorithms();
  [[nodiscard]] std::size_t lay_out();
  void make(Prepared& its);

  Group& group_;
  const RankSetup& setup_;
  std::size_t stream_;
  Abilities abilities_;
  bool mapped_ = false;
  // In this order: the endpoint ends before its memory, plans before it.
  std::unique_ptr<RankMemory> memory_;
  std::unique_ptr<Endpoint> endpoint_;
  std::unique_ptr<MappedSequence> sequence_;
  std::vector<std::unique_ptr<Prepared>> prepared_;
};

}  // namespace railgauge
