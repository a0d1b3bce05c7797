// Operations that work in a device's queue alone, and the queue's own clock: the host puts both there, and what becomes of them
// is known later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/units.hpp"

namespace railgauge {

// A Runnable is one of these too where its operations need nobody but the device once they are in its queue: then several may be
// there, one behind the other, without its start() and test().
class Queued {
 public:
  virtual ~Queued() = default;
  // Puts of the next operation what fits into the queue, behind all that is there; true when that is all of it, as where it takes
  // a single call. Else put() puts more. Neither waits, nor leaves a mark behind the operation.
  virtual bool begin() = 0;
  virtual bool put() { return true; }
  // How much of a queue an operation takes at a time, at most: copies, reductions, calls of a library.
  [[nodiscard]] virtual std::size_t room() const { return 1; }
  // While operations are in the queue, and when they are over: throws where they never will be, or were given up.
  virtual void look() = 0;
};

// Numbers stamps from 1 on.
class QueueClock {
 public:
  virtual ~QueueClock() = default;
  // How finely it counts.
  [[nodiscard]] virtual Seconds resolution() const = 0;
  // Puts a stamp behind all that is in the queue, without waiting, and returns its number. It is forgotten when kept_stamps
  // others have followed; by then it was reached.
  virtual std::uint64_t stamp() = 0;
  // Whether the device has come by. Never waits.
  [[nodiscard]] virtual bool reached(std::uint64_t stamp) = 0;
  // From when the device came by one until it came by the other, both reached and not forgotten.
  [[nodiscard]] virtual Seconds between(std::uint64_t from, std::uint64_t to) = 0;
};
inline constexpr std::size_t kept_stamps = 256;

// A Device whose queue can be timed is one of these too.
class Clocked {
 public:
  virtual ~Clocked() = default;
  // Of Device::stream(), which lanes in other queues are joined to (bench/device/queues.hpp). The device outlives it. Throws
  // Error(usage); the clock's own calls throw Error(lost).
  [[nodiscard]] virtual std::unique_ptr<QueueClock> make_clock() = 0;
};

}  // namespace railgauge
