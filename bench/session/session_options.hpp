// The options of measuring points, the same on all ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/rooted.hpp"
#include "base/words.hpp"
#include "bench/device/registry.hpp"
#include "bench/measure/fixed.hpp"
#include "bench/measure/loop.hpp"
#include "bench/session/buffer_sets.hpp"

namespace railgauge {

enum class Path : std::uint8_t { automatic, exchange, mapped, staged };

struct SessionOptions {
  Policy policy;
  std::optional<Mode> mode;  // nothing: mode_of() chooses
  Cache cache = Cache::automatic;
  Path path = Path::automatic;
  std::optional<FixedRun> fixed;  // instead of the policy and all that follows from it: as nccl-tests measures
  bool graph = false;             // plans are noted in the device's stream once, and replayed
  std::size_t unaligned = 0;      // elements by which each buffer set starts off its alignment; path exchange
  bool check_every = true;        // else the last iteration of each batch
  std::optional<Seconds> budget;  // of all points together; those left over are skipped
  Seconds watchdog{30};           // without completion of one operation: then the run is given up
  bool oversubscribed = false;    // ranks share cores, though it may not look so
  int cores = 1;                  // that the ranks of this node share
  ChosenDevice device;            // where the ranks' buffers are
  std::string run;
  std::function<void(const std::string& what)> doing;  // told what takes long, as "connecting 300 ranks"; may be empty
  std::function<void(std::size_t point)> begins;       // told on every rank before a point is measured; may be empty
};

// The mode of a collective. By default rooted collectives are isolated: back-to-back their ranks run ahead of each other, and
// the measured time is that of issuing an operation. With buffers of a GPU they are back-to-back: after a barrier the measured
// time would be that of the host's launches.
[[nodiscard]] inline Mode mode_of(const SessionOptions& options, Collective collective) noexcept {
  if (options.mode) return *options.mode;
  return is_rooted_collective(collective) && options.device.table == nullptr ? Mode::isolated : Mode::back_to_back;
}

}  // namespace railgauge
