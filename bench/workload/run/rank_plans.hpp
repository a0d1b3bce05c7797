// One rank's connections for a workload: its devices, and a plan and a data check for each of its channels. Where the transport
// works in a stream of a GPU, each process group has a communicator of its own; else all groups use the endpoint of all ranks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/device/device.hpp"
#include "bench/device/registry.hpp"
#include "bench/measure/check.hpp"
#include "bench/plan/collective_spec.hpp"
#include "bench/workload/channels.hpp"
#include "bench/workload/communicators.hpp"
#include "bench/workload/run/channel_plans.hpp"
#include "bench/workload/workload.hpp"
#include "transports/group.hpp"
#include "transports/registry/registry.hpp"
#include "transports/transport.hpp"

namespace railgauge {

class RankPlans {
 public:
  // Collective over the group, whose ranks are the workload's: opens the device, connects, allocates memory and prepares the
  // channels of this rank. `channels`, which are the workload's, outlive it. Throws Error(usage) where memory is short, or the
  // transport takes none of its kind.
  RankPlans(Group& group, const ChosenTransport& transport, const ChosenDevice& device, const Workload& workload,
            const Channels& channels, bool oversubscribed);
  RankPlans(const RankPlans&) = delete;
  RankPlans& operator=(const RankPlans&) = delete;
  ~RankPlans();
  // Ends all plans and endpoints, before anything else of the device: what waits for the device may wait for a rank that is lost.
  void disconnect() noexcept;

  // By channel; null for those that this rank takes no part in.
  [[nodiscard]] Runnable* plan(std::size_t channel) const;
  // Of all ranks, over the transport.
  [[nodiscard]] Runnable& barrier() const { return *barrier_; }
  [[nodiscard]] Endpoint& endpoint() const { return all_->endpoint(); }
  [[nodiscard]] Device& device() const { return *device_; }
  // The device in whose stream, if it has one, messages of the endpoint without bytes run, and their path.
  [[nodiscard]] Device& messenger() const { return stream_ordered_ ? *device_ : *host_; }
  [[nodiscard]] DataPath empty_messages() const { return {.stream_ordered = stream_ordered_}; }
  // The first of the device's streams that no communication uses.
  [[nodiscard]] std::size_t free_stream() const { return 1 + communicators_.streams; }
  // Why messages pass through memory of the host, a sentence fragment; empty where they do not, or the buffers lie there.
  [[nodiscard]] std::string why_staged() const;

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
  // Where a channel of this rank is.
  struct PlaceOfChannel {
    ChannelPlans* plans = nullptr;
    std::size_t i = 0;  // among them
  };
  void connect_all(Group& group);
  void connect_communicators(Group& group);
  void make_barrier(Group& group);

  const Channels& channels_;
  WorkloadCommunicators communicators_;
  std::unique_ptr<Device> device_, host_;
  std::unique_ptr<Transport> transport_;
  bool stream_ordered_;
  RankSetup setup_;
  struct Communicator;
  std::vector<Communicator> own_;  // of this rank
  std::unique_ptr<ChannelPlans> all_;
  std::vector<PlaceOfChannel> places_;  // by channel
  std::unique_ptr<Compute> barrier_compute_;
  std::unique_ptr<Runnable> barrier_;
};

}  // namespace railgauge
