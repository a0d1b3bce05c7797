// The several queues (CUDA streams) of a device, in which lanes of a plan run beside each other.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "base/units.hpp"
#include "base/words.hpp"
#include "bench/device/device.hpp"

namespace railgauge {

// A Device with several queues also derives from this class. The queue of lane 0 is Device::stream(); stream_of() makes the
// others on the first call. No queue waits for another by itself.
class Queues {
 public:
  virtual ~Queues() = default;
  // Throws Error(usage).
  [[nodiscard]] virtual void* stream_of(std::size_t lane) = 0;
  // As Device::compute(), in that queue. The device must outlive the answer.
  [[nodiscard]] virtual std::unique_ptr<Compute> compute_in(std::size_t lane, Type type, Op op) = 0;
  // What is put into the queue of `lane` from now on comes after what is in that of lane 0 now; join() is the
  // reverse. Neither waits. `lane` is not 0, and its stream was asked for. Both throw Error(lost).
  virtual void fork(std::size_t lane) = 0;
  virtual void join(std::size_t lane) = 0;
  // Whether nothing is in flight in any of them. Never waits; a device that has failed is idle.
  [[nodiscard]] virtual bool idle() noexcept = 0;
};

// Of one plan or several of a type and op: where its lanes from 1 on work.
struct LaneQueues {
  Queues* queues = nullptr;
  std::vector<std::unique_ptr<Compute>> computes;  // of lane 1 first
};

// Null where the device has one queue, or there is one lane: then all is in Device::stream(). The device outlives the answer.
// Throws Error(usage).
[[nodiscard]] std::unique_ptr<LaneQueues> make_lane_queues(Device& device, std::size_t lanes, Type type, Op op);

// Polls `idle` until it returns true, or until `patience` is over by the clock `now`: false then.
[[nodiscard]] bool comes_to_rest(const std::function<bool()>& idle, const std::function<Seconds()>& now, Seconds patience);
// The same by the clock of this machine, for as long as the end of something may take: what frees memory of a device waits for
// all that it has in flight, and so for a peer that never comes. Where it answers false, memory is left to the end of the
// process.
[[nodiscard]] bool comes_to_rest(const std::function<bool()>& idle);

}  // namespace railgauge
