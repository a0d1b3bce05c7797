// One rank's connection over one transport: its device, its endpoint and its attached memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/device/device.hpp"
#include "bench/plan/collective_spec.hpp"
#include "bench/select/sweep.hpp"
#include "bench/session/rank_memory.hpp"
#include "bench/session/session_options.hpp"
#include "bench/session/set_layout.hpp"
#include "transports/group.hpp"
#include "transports/registry/registry.hpp"
#include "transports/transport.hpp"

namespace railgauge {

class Connection {
 public:
  // Collective: connects, and allocates memory for the largest point. Throws Error(usage) for options that this transport or
  // this memory does not support. All arguments must outlive it.
  Connection(Group& group, const ChosenTransport& transport, const std::vector<Point>& points, const SessionOptions& options);

  [[nodiscard]] Group& group() const { return group_; }
  [[nodiscard]] const ChosenTransport& chosen() const { return chosen_; }
  [[nodiscard]] Device& device() const { return *device_; }
  [[nodiscard]] Endpoint& endpoint() const { return *endpoint_; }
  [[nodiscard]] RankMemory& memory() const { return *memory_; }
  [[nodiscard]] const SetLayout& layout() const { return layout_; }
  [[nodiscard]] std::size_t lanes() const { return lanes_; }  // of the point that has most
  [[nodiscard]] int nodes() const { return nodes_; }
  [[nodiscard]] bool oversubscribed() const { return oversubscribed_; }  // on all ranks alike

  // Whether plans read and write the memory of their peers.
  [[nodiscard]] bool mapped() const { return mapped_; }
  [[nodiscard]] bool stream_ordered() const { return transport_->abilities().stream_ordered; }
  // Whether plans run in the device's stream alone.
  [[nodiscard]] bool in_stream() const { return stream_ordered() && !memory_->staged(); }

  // The device in whose stream, if it has one, messages without bytes run, and the data path of such messages.
  [[nodiscard]] Device& messenger() const { return stream_ordered() ? *device_ : *host_device_; }
  [[nodiscard]] DataPath empty_messages() const { return {.stream_ordered = stream_ordered()}; }

 private:
  void refuse_impossible(const SessionOptions& options) const;

  Group& group_;
  const ChosenTransport& chosen_;
  std::unique_ptr<Device> device_, host_device_;
  std::unique_ptr<Transport> transport_;
  int nodes_;
  bool oversubscribed_;
  SetLayout layout_;
  std::size_t lanes_ = 1;
  bool mapped_ = false;
  bool reached_ = false;  // the endpoint maps memory of the kind that the buffers are in
  // The endpoint ends before its memory.
  std::unique_ptr<RankMemory> memory_;
  std::unique_ptr<Endpoint> endpoint_;
};

}  // namespace railgauge
