// A GPU as one process has it: its streams there and the hardware queues that they share.
//
//   stream A   copy . kernel        hardware queue 0:  A copy, A kernel, C wait
//   stream B   wait . copy          hardware queue 1:  B wait, B copy
//   stream C   wait
//
// The first of each hardware queue begins when what is before it in its stream is done, and what it comes after in other streams.
// One that cannot begin keeps all behind it waiting, whatever their streams.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "tests/softgpu/engine/config.hpp"
#include "tests/softgpu/engine/machine.hpp"
#include "tests/softgpu/engine/stream.hpp"
#include "tests/softgpu/machine/device.hpp"

namespace softgpu {

// How likely it is that an operation is held back for a while though it could begin.
enum class Lateness : std::uint8_t { seldom, often };

// Guarded by the lock of the process.
class Gpu {
 public:
  // `number`: as this process counts; `physical`: as all do.
  Gpu(int number, int physical, const Config& config, Machine& machine);

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] int physical() const { return physical_; }
  [[nodiscard]] softgpu::Device& device() { return device_; }
  [[nodiscard]] Stream& legacy() { return *streams_.front(); }

  [[nodiscard]] Stream* create(Stream::Kind kind);
  // What is in flight still runs.
  void destroy(Stream& stream);
  [[nodiscard]] bool owns(const Stream* stream) const;
  // What was put last into each stream.
  [[nodiscard]] std::vector<SharedOp> in_flight() const;
  [[nodiscard]] bool is_full(const Stream& stream) const { return stream.pending.size() >= config_.queue; }
  // At the end of the stream, which is not full. Done at once when the GPU has failed.
  SharedOp put(Stream& stream, std::unique_ptr<Work> work, std::vector<SharedOp> after, Knowledge told, Lateness lateness);

  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }
  // All that is in flight is over: nothing of it can be relied upon.
  void fail(Failure failure);

  // Of the engine: what begins goes to `running`; whether anything is left that has not begun.
  bool begin_what_can(std::vector<SharedOp>& running, Draw& draw);
  void end(const SharedOp& op);
  void weigh(Draw& draw);

 private:
  [[nodiscard]] bool is_ready(Op& op, Op::Time now) const;

  int number_, physical_;
  Config config_;
  Machine& machine_;
  softgpu::Device device_;
  Draw draw_;                                     // of calls
  std::vector<std::unique_ptr<Stream>> streams_;  // the legacy one first
  std::vector<std::deque<SharedOp>> queues_;      // hardware queues: what has not begun
  std::optional<Failure> failure_;
};

}  // namespace softgpu
