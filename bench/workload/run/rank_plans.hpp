// One rank's connection for a workload: its endpoint, its memory, and a plan and a data check for each of its channels.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/device/device.hpp"
#include "bench/measure/check.hpp"
#include "bench/plan/collective_spec.hpp"
#include "bench/workload/channels.hpp"
#include "transports/group.hpp"
#include "transports/registry/registry.hpp"
#include "transports/transport.hpp"

namespace railgauge {

class RankPlans {
 public:
  // Collective over the group, whose ranks are the workload's: connects, allocates host memory and prepares the channels of this
  // rank. `channels` outlives it. Throws Error(usage) where memory is short, or the transport takes none of the host.
  RankPlans(Group& group, const ChosenTransport& transport, const Channels& channels, bool oversubscribed);
  RankPlans(const RankPlans&) = delete;
  RankPlans& operator=(const RankPlans&) = delete;
  ~RankPlans();

  // By channel; null for those that this rank takes no part in.
  [[nodiscard]] Runnable* plan(std::size_t channel) const;
  // Of all ranks, over the transport.
  [[nodiscard]] Runnable& barrier() const { return *barrier_; }
  [[nodiscard]] Endpoint& endpoint() const { return *endpoint_; }
  [[nodiscard]] Device& device() const { return *device_; }

  // Fills the inputs of all channels of this rank and poisons their outputs. `epoch` is the same on all ranks; none may have a
  // call in flight, and all must have returned from restore() before one begins.
  void restore(std::uint64_t epoch);
  // Of one channel, of which this rank has no call in flight: between two calls its buffers are this rank's alone.
  void restore(std::size_t channel, std::uint64_t epoch);
  // The first wrong element of what the last call of each channel left, or that of one; channels of which nothing ran must not be
  // asked for.
  struct WrongCall {
    std::size_t channel = 0;
    Mistake mistake;
  };
  [[nodiscard]] std::optional<WrongCall> check(std::uint64_t epoch) const;
  [[nodiscard]] std::optional<WrongCall> check(std::size_t channel, std::uint64_t epoch) const;

  // The algorithm by which a channel runs; empty for messages and channels of others.
  [[nodiscard]] std::string algorithm(std::size_t channel) const;

 private:
  struct Prepared;
  [[nodiscard]] std::unique_ptr<Prepared> prepare(const Channel& channel, int me) const;

  Group& group_;
  const Channels& channels_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<Endpoint> endpoint_;               // ends before its memory
  std::vector<std::unique_ptr<Prepared>> prepared_;  // by channel
  std::unique_ptr<Compute> barrier_compute_;
  std::unique_ptr<Runnable> barrier_;
};

}  // namespace railgauge
