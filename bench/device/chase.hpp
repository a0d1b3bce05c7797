// A walk along pointers in the memory of one place by a processor of another, as a kind of device offers it (CopyTable::chase).
// The address of a load is known only once the load before is done, so that the time of a step is the latency of the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/units.hpp"
#include "bench/device/chain.hpp"
#include "bench/device/copies.hpp"

namespace railgauge {

struct ChaseOrder {
  CopyEnd memory;           // where the pointers lie; of the host's, as many bytes as are walked through
  CopyEnd reader;           // who follows them: a device, or a core of the node; it has no memory
  std::size_t bytes = 0;    // that are walked through: chain::bytes_within() of something
  std::uint64_t steps = 1;  // of one start(); an odd number never ends where it began
};

// The expected and the actual position of a walk, in bytes from the start of the memory: always an error, never a warning.
struct ChaseMistake {
  std::uint64_t expected = 0, got = 0;
};

// Walks again and again, each time from its last position, so that it revisits an address only after a whole cycle. Threads and
// errors are as for CopyJob.
class ChaseJob : public Runnable {
 public:
  // Checks the walks since the last check; nothing when all were right.
  [[nodiscard]] virtual std::optional<ChaseMistake> check() = 0;
  // The time of the last start(), by the device's own clock. Nothing where the device has no clock.
  [[nodiscard]] virtual std::optional<Seconds> device_time() = 0;
};

// Computes the expected position of a job from the steps that it was told to take.
class Walked {
 public:
  explicit Walked(const ChaseOrder& order) : bytes_(order.bytes), steps_(order.steps) {}
  void start() { expected_ = chain::after(expected_, steps_, bytes_); }
  // Goes on from `got`, so that one wrong step is one mistake.
  [[nodiscard]] std::optional<ChaseMistake> check(std::uint64_t got) {
    if (got == expected_) return std::nullopt;
    const ChaseMistake mistake{expected_, got};
    expected_ = got;
    return mistake;
  }

 private:
  std::uint64_t bytes_, steps_, expected_ = 0;
};

// Through memory of a NUMA node, by a core of the same or another one. Throws Error(usage) where there is no such core.
[[nodiscard]] std::unique_ptr<ChaseJob> host_chase(const ChaseOrder& order);

}  // namespace railgauge
