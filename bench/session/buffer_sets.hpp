// The number of buffer sets that a point is measured with.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bench/measure/fixed.hpp"

namespace railgauge {

enum class Cache : std::uint8_t { automatic, warm, cold };

inline constexpr std::size_t buffers_of_a_set = 3;  // input, output, scratch: each about S
inline constexpr std::size_t sets_when_automatic = 64;

// The number of buffer sets that the iterations of a batch use round-robin, and whether they are cold: together at least twice
// the last-level cache, so that the cache holds nothing of a set when it is used again. The same on all ranks.
struct BufferSets {
  std::size_t count = 1;
  bool cold = false;
};
// `bytes` is S; `budget` limits the sets of Cache::automatic, in bytes of a rank. Throws Error(usage) when cold buffers were
// asked for and would need more than 4096 sets.
[[nodiscard]] BufferSets choose_sets(std::uint64_t bytes, Cache cache, std::size_t last_level_cache, std::size_t budget);
// As many sets as fit in `run.rotation` bytes of S, at least one, at most 64 and at most the operations of the run, as
// nccl-tests rotates through buffers of its largest size.
[[nodiscard]] BufferSets rotating_sets(std::uint64_t bytes, const FixedRun& run, std::size_t last_level_cache);

}  // namespace railgauge
