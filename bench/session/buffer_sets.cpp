// Weighs cold buffers against what they take.
#include "bench/session/buffer_sets.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "base/units.hpp"

namespace railgauge {
namespace {

constexpr std::size_t most_sets = 4096;
constexpr std::size_t sets_when_warm = 16;  // enough for a batch that the clock can time

}  // namespace

BufferSets choose_sets(std::uint64_t bytes, Cache cache, std::size_t last_level_cache, std::size_t budget) {
  const std::uint64_t least = std::max<std::uint64_t>(bytes, 1);
  const std::uint64_t to_exceed = std::max<std::uint64_t>(1, std::uint64_t{2} * last_level_cache);
  const std::uint64_t for_cold = to_exceed / least + (to_exceed % least != 0 ? 1 : 0);
  const std::uint64_t affordable = std::max<std::uint64_t>(1, budget / buffers_of_a_set / least);
  if (cache == Cache::warm) return {1, false};
  if (cache == Cache::cold) {
    if (for_cold > most_sets)
      throw Error(Fault::usage, "--cache cold: " + std::to_string(for_cold) + " buffer sets of " + format_bytes(bytes) +
                                    " would be needed to exceed the cache, more than " + std::to_string(most_sets) +
                                    ": choose larger --bytes");
    return {static_cast<std::size_t>(for_cold), true};
  }
  if (for_cold <= std::min<std::uint64_t>(affordable, sets_when_automatic)) return {static_cast<std::size_t>(for_cold), true};
  return {static_cast<std::size_t>(std::min<std::uint64_t>(affordable, sets_when_warm)), false};
}

BufferSets rotating_sets(std::uint64_t bytes, const FixedRun& run, std::size_t last_level_cache) {
  const auto few = [](std::uint64_t number) { return std::min<std::uint64_t>(number, sets_when_automatic); };
  const std::uint64_t operations = (few(run.warm_up) + 1 + few(run.iterations)) * few(run.aggregated);
  const std::uint64_t room = few(run.rotation / std::max<std::uint64_t>(bytes, 1));
  const std::uint64_t count = std::max<std::uint64_t>(std::min(room, operations), 1);
  return {static_cast<std::size_t>(count), count * bytes > std::uint64_t{2} * last_level_cache};
}

}  // namespace railgauge
