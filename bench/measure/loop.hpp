// The measuring loop: runs a Runnable until its time is known, and checks the data between batches, outside the timed region.
// docs/measuring.md defines a sample.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/statistics/samples.hpp"
#include "base/units.hpp"
#include "bench/device/queued.hpp"
#include "bench/measure/check.hpp"
#include "bench/measure/clock_sync.hpp"
#include "bench/measure/stop.hpp"
#include "transports/group.hpp"
#include "transports/transport.hpp"

namespace railgauge {

// The time since a fixed moment. Tests replace it.
struct Clock {
  Seconds (*read)(void* context) = nullptr;
  void* context = nullptr;
  [[nodiscard]] Seconds now() const { return read(context); }
};
[[nodiscard]] Clock steady_clock() noexcept;

enum class Mode : std::uint8_t {
  back_to_back,  // throughput: one iteration follows the other
  isolated,      // all ranks start each sample together, after a barrier
  window,        // the same at an agreed time on synchronised clocks
};

[[nodiscard]] constexpr const char* name(Mode mode) noexcept {
  return mode == Mode::back_to_back ? "back-to-back" : mode == Mode::isolated ? "isolated" : "window";
}

// The operation to measure, as one rank has it. All ranks pass the same values, except pointers to their own memory. Owns
// nothing: sets, barrier, clock and line must outlive measure().
struct MeasuredOperation {
  std::string name;                 // of the operation, for the watchdog's sentence
  std::span<Runnable* const> sets;  // one for each buffer set, at least one; iteration i of a batch runs sets[i % sets.size()]
  Runnable* barrier = nullptr;      // over the transport; null where a rank is alone
  // Called between batches, untimed, in this order: fill all inputs and poison all outputs; check all outputs. Either may be
  // empty.
  std::function<void()> restore;
  std::function<std::optional<Mistake>()> check;
  // Returns the time of the sample that has just ended by the device's own clock; nothing, or an empty function, where the
  // device has none. Either every sample has such a time or none.
  std::function<std::optional<Seconds>()> device_time;
  // The clock of the device in whose queue all sets run (they are Queued): back-to-back, many iterations are in flight there at
  // once, and this clock times them. Null: each iteration completes before the next one begins.
  QueueClock* clock = nullptr;
  Mode mode = Mode::back_to_back;
  bool check_every = true;  // false: sets run 16 to 1024 times between checks, about 5 ms; the share that is checked says so
  bool repeatable = true;   // false: an iteration spoils its own input (in place), so each set runs once between restores
  bool yield = false;       // more ranks than cores: let others run sooner while waiting
  Seconds nap{0};           // where that is not enough: sleep so long between two looks at what has not come for longer
  bool keep_ranks = false;  // keep the samples of every rank
  const ClockLine* line = nullptr;    // Mode::window: from this rank's clock to rank 0's
  std::uint64_t max_batch = 1 << 16;  // iterations of one sample
  Seconds watchdog{30.0};             // without completion of one operation
};

inline constexpr std::size_t most_starts = 10'000;

struct Measurement {
  std::vector<Seconds> samples;               // of one iteration each (the mean of `batch`), maximum over ranks, in order
  std::vector<std::vector<Seconds>> by_rank;  // the same before the maximum, where it was asked for
  // The times of the same samples by the ranks' own clocks, where a device's clock timed them. For operations in a queue it is
  // the mean of those in flight together, since the host does not see the end of each. Maximum over ranks; by rank with
  // `keep_ranks`.
  std::vector<Seconds> host_samples;
  std::vector<std::vector<Seconds>> host_by_rank;
  Statistics statistics;         // of samples, in seconds
  bool converged = false;        // or as many iterations as the policy fixed
  std::string reason;            // a sentence where it did not converge or data was wrong
  std::uint64_t batch = 1;       // iterations of a sample
  std::uint64_t warm_up = 0;     // iterations before the first sample
  std::uint64_t operations = 0;  // that this rank has begun, all in all, without barriers
  bool warm = false;             // false: its share of the time was over before it could be told
  // starts[r][s]: when rank r began sample s, in seconds of its own clock; for the first most_starts samples only.
  std::vector<std::vector<double>> starts;
  std::vector<std::uint64_t> slowest;  // by rank: samples in which it took longest
  std::uint64_t late_starts = 0;       // Mode::window: samples in which a rank came after the agreed time
  double checked = 0;                  // share of iterations whose data was checked
  std::optional<Mistake> mistake;      // of the lowest rank that has one; the same on all ranks
  std::uint64_t wrong = 0;             // wrong elements on all ranks
  Seconds clock_cost{0.0};             // of one reading of the clock that times samples, the slowest rank's
  Seconds elapsed{0.0};                // all in all, by rank 0's clock
};

// Collective over the group. Every rank returns the same. Throws Error(lost) when an operation does not complete within the
// watchdog's time, or a rank is lost; exceptions of Runnables pass through.
[[nodiscard]] Measurement measure(const MeasuredOperation& subject, Group& group, const Policy& policy,
                                  Clock clock = steady_clock());

}  // namespace railgauge
