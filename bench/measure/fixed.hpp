// The measuring loop of the drop-in for nccl-tests: a fixed number of iterations between two readings of the clock, and an
// average of choice over the ranks' times. docs/nccl-tests.md says how it differs from bench/measure/loop.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/units.hpp"
#include "bench/measure/loop.hpp"

namespace railgauge {

enum class Average : std::uint8_t { rank_0, mean, least, most };  // over the ranks' times

enum class Blocking : std::uint8_t {
  none,             // an operation begins as soon as it can: in a device's queue behind those before, else as with `wait`
  wait,             // when this rank's part of the one before is complete
  barrier,          // and an iteration after a barrier, which is timed
  untimed_barrier,  // and after a barrier, which is not
};

struct FixedRun {
  std::uint64_t warm_up = 1;  // iterations before the first timed one, one more than that
  std::uint64_t iterations = 20;
  std::uint64_t aggregated = 1;  // operations of an iteration
  std::uint64_t checks = 1;      // operations after the timed ones whose data is checked, untimed
  Blocking blocking = Blocking::none;
  Average average = Average::mean;
  bool launch_time = false;      // the time of start() alone
  bool per_iteration = false;    // keep the time of each iteration, from a reading of the clock between each two: in a device's
                                 // queue of the device's clock
  std::uint64_t rotation = 0;    // S that all buffer sets of a size may have together: iterations take them round-robin
  std::optional<Seconds> limit;  // for all of it
};

struct FixedMeasurement {
  Seconds time{0.0};                          // of one operation
  std::vector<std::vector<Seconds>> by_rank;  // of each operation, the mean of an iteration; empty unless per_iteration
  std::optional<Mistake> mistake;             // of the lowest rank that has one
  std::uint64_t wrong = 0;                    // wrong elements on all ranks
  std::uint64_t operations = 0;               // that this rank has begun, all in all, without barriers
};

// Collective over the group; every rank returns the same. Ignores `subject.mode`, `check_every` and `repeatable`, since the
// timed operations are never checked. Throws as measure() does, and Error(inconclusive) when the limit is over.
[[nodiscard]] FixedMeasurement measure_fixed(const MeasuredOperation& subject, Group& group, const FixedRun& run,
                                             Clock clock = steady_clock());

}  // namespace railgauge
