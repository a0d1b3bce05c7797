// The computation of a rank between transfers: copies and k-operand reductions over addresses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bench/device/device.hpp"
#include "bench/schedule/resolved.hpp"
#include "bench/schedule/verify/scaling.hpp"

namespace railgauge {

// One call of Compute. A copy has one source and one target.
struct Work {
  bool reduces = false;
  std::vector<ConstBytes> sources;
  std::vector<Bytes> targets;
  std::vector<double> factors;  // empty, or one a source
  std::uint32_t divisor = 1;
};

inline void perform(const Work& work, Compute& compute) {
  if (work.reduces)
    compute.reduce(work.sources, work.targets, Scale{work.factors, work.divisor});
  else
    compute.copy(work.sources.front(), work.targets.front());
}

// How premulsum and avg change the reductions of one schedule (bench/schedule/verify/scaling.hpp): one row a round, one entry a
// local. Empty for the other ops.
struct Scaled {
  std::vector<std::vector<Scaling>> rounds;
  bool premultiply = false;
  bool divide = false;
  std::int32_t ranks = 1;
};

// The locals of one round as Work over `memory`, whose unit is `unit` bytes: a copy and the reduces that follow it into the same
// target are one reduction of all their sources. `elsewhere` returns, for a source, another address of the same content (in a
// mapped peer's memory), or null.
using Elsewhere = std::function<const std::byte*(const Range&)>;
[[nodiscard]] std::vector<Work> make_work(const ResolvedRound& round, std::size_t round_index, const Scaled& scaled,
                                          std::byte* memory, std::size_t unit, const Elsewhere& elsewhere = nullptr);

}  // namespace railgauge
