// How points are measured, the same on all ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/device/registry.hpp"
#include "bench/measure/fixed.hpp"
#include "bench/measure/loop.hpp"
#include "bench/session/buffer_sets.hpp"

namespace railgauge {

enum class Path : std::uint8_t { automatic, exchange, mapped, staged };

struct SessionOptions {
  Policy policy;
  Mode mode = Mode::back_to_back;
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
};

}  // namespace railgauge
