// Runs consecutive operations in a device's queue, and times them by the queue's own clock:
//
//   queue   stamp . operation . stamp . operation . stamp ...
//
// The host enqueues all of this, and waits only for room: so few operations are in flight at once that no call of the device
// blocks on a full queue, without a deadline.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/device/queued.hpp"
#include "bench/measure/completion.hpp"
#include "bench/measure/loop.hpp"

namespace railgauge {

// The iterations to run: `samples` times `batch`, on the buffer sets round-robin.
struct Series {
  std::uint64_t samples = 1, batch = 1;
  std::uint64_t first = 0;  // number of the first iteration, for the watchdog's sentence
  std::size_t set = 0;      // that it runs on
};

class InFlight {
 public:
  // The most iterations in flight, for the shortest operations; one for the longest.
  static constexpr std::size_t most = 128;

  // All of subject.sets are Queued, and subject.clock is not null. Both arguments must outlive it.
  InFlight(const MeasuredOperation& subject, const Completion& complete);

  // The overhead of a stamp, at least the clock's resolution: measured in an empty queue, where the device waits for the host to
  // enqueue the second stamp, as for the first operation of a series. Throws as run() does.
  [[nodiscard]] Seconds cost();

  // Runs the series, and appends the seconds of each sample by the device's clock. Throws as Completion does.
  void run(const Series& series, std::vector<double>& seconds);

 private:
  // Behind how many iterations of the series a stamp is, and whether a sample ends there.
  struct Stamp {
    std::uint64_t iterations = 0;
    bool ends = false;
  };
  void stamp(std::uint64_t iterations, bool ends);
  void await(std::uint64_t stamp, std::uint64_t iteration);
  void pass_next(const Series& series, std::vector<double>& seconds);

  const Completion& complete_;
  QueueClock& clock_;
  std::vector<Queued*> sets_;
  std::uint64_t most_;         // iterations in flight
  std::uint64_t stride_;       // between two stamps, at most
  Queued* last_ = nullptr;     // that was begun
  std::uint64_t stamped_ = 0;  // the last stamp
  std::uint64_t passed_ = 0;   // the last one that was awaited
  std::uint64_t over_ = 0;     // iterations of the series before it
  double sample_ = 0;          // seconds of the sample that is in progress, up to it
  std::array<Stamp, kept_stamps> stamps_{};
};

}  // namespace railgauge
