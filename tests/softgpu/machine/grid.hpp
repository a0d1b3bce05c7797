// A launch that runs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>

#include "tests/softgpu/machine/device.hpp"

namespace softgpu {

using Random = std::mt19937_64;
using Extent = std::array<std::uint32_t, 3>;

struct Launch {
  const Kernel* kernel = nullptr;
  Extent grid{1, 1, 1}, block{1, 1, 1};
  std::uint32_t dynamic_shared = 0;
  std::span<const std::byte> parameters;  // Kernel::parameter_bytes of them, laid out as Kernel::parameters says; copied
  bool checked = true;                    // false: neither bounds nor races, for speed
};

// What a kernel did that costs a GPU time.
struct GridCounts {
  std::uint32_t barriers = 0;           // of all threads of the block that met most often
  std::uint32_t fences = 0;             // releases for the system, of the thread with most of them
  std::uint64_t fetched = 0, sent = 0;  // bytes read from and written to memory of other GPUs
};

enum class State : std::uint8_t { running, ended };

// Calls of all grids of a process must not overlap.
class Grid {
 public:
  // An operation of the actor, which begins here and ends when the last thread has. What the actor knows now, the kernel knows.
  // Throws std::invalid_argument where a GPU would refuse the launch.
  Grid(Device& device, Actor& actor, const Launch& launch, Random& random);
  ~Grid();
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;

  // Lets a block, a warp or a thread that is resident, drawn by chance, run a while.
  State advance();
  [[nodiscard]] State state() const;
  // An access faulted: the grid has ended, none of its threads goes on (cudaErrorIllegalAddress).
  [[nodiscard]] bool faulted() const;
  // So far.
  [[nodiscard]] const GridCounts& counts() const;

  // Whether all resident threads have had several turns without progress: a deadlock, unless someone else changes memory or
  // leaves the device. Progress is what others can see or a thread had waited for: stores, barriers passed, ends, loads that
  // synchronise and found another value than last time. Spinning is none.
  [[nodiscard]] bool stuck() const;
  // Who waits where, and how many blocks are not resident.
  [[nodiscard]] std::string waiting() const;
  // Adds a finding of the kind deadlock, and ends the grid.
  void give_up();

 private:
  struct Running;
  std::unique_ptr<Running> running_;
};

}  // namespace softgpu
