// From a time to a bandwidth, in the definitions of nccl-tests (docs/bandwidth.md has the formulas and says what S is).
#pragma once

#include <cstdint>

#include "base/units.hpp"
#include "base/words.hpp"

namespace railgauge {

struct Bandwidth {
  double algbw = 0;  // 1e9 bytes a second
  double busbw = 0;  // 1e9 bytes a second
};

// What S / t is multiplied with. Both are 0 for a collective that moves no data, and busbw is 0 for one rank wherever the
// factor of the collective is a multiple of (n - 1).
struct BandwidthFactors {
  double algbw = 0;
  double busbw = 0;
};

[[nodiscard]] BandwidthFactors bandwidth_factors(Collective collective, int ranks) noexcept;

// `bytes` is S. Zero where the time is not positive or not finite.
[[nodiscard]] Bandwidth bandwidth(Collective collective, int ranks, std::uint64_t bytes, Seconds time) noexcept;

}  // namespace railgauge
