// Operations that run in a device's queue alone, and the queue's own clock: the host enqueues both and learns the outcome later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/units.hpp"

namespace railgauge {

// A Runnable also derives from this class where its operations need only the device once they are in its queue: then several may
// be in flight there, without calls of start() and test().
class Queued {
 public:
  virtual ~Queued() = default;
  // Enqueues as much of the next operation as fits; true when that is the whole operation. Else put() enqueues more, and returns
  // the same. Neither waits, nor marks the end of the operation.
  virtual bool begin() = 0;
  virtual bool put() { return true; }
  // The most entries of a queue that an operation takes at a time: copies, reductions, calls of a library.
  [[nodiscard]] virtual std::size_t room() const { return 1; }
  // Called while operations are in flight, and after they end: throws when an operation was given up or will never complete.
  virtual void look() = 0;
};

// Numbers stamps from 1 on.
class QueueClock {
 public:
  virtual ~QueueClock() = default;
  // The resolution of the clock.
  [[nodiscard]] virtual Seconds resolution() const = 0;
  // Enqueues a stamp, without waiting, and returns its number. A stamp is valid until kept_stamps others have followed; by then
  // the device must have reached it.
  virtual std::uint64_t stamp() = 0;
  // Whether the device has reached the stamp. Never waits.
  [[nodiscard]] virtual bool reached(std::uint64_t stamp) = 0;
  // The time between two stamps, both reached and still valid.
  [[nodiscard]] virtual Seconds between(std::uint64_t from, std::uint64_t to) = 0;
};
inline constexpr std::size_t kept_stamps = 256;

// A Device with a clock in its queue also derives from this class.
class Clocked {
 public:
  virtual ~Clocked() = default;
  // Of Device::stream(), which lanes in other queues are joined to (bench/device/queues.hpp). The device outlives it. Throws
  // Error(usage); the clock's own calls throw Error(lost).
  [[nodiscard]] virtual std::unique_ptr<QueueClock> make_clock() = 0;
};

}  // namespace railgauge
