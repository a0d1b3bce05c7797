// Divides a size that divides well.
#include "bench/schedule/shares.hpp"

#include <algorithm>

namespace railgauge {
namespace {

std::uint64_t whole_of(const Shape& shape, const Schedule& schedule) {
  constexpr std::uint64_t units = 1024;  // of a block: for collectives whose blocks differ
  return units * static_cast<std::uint64_t>(shape.ranks) * std::max<std::uint64_t>(schedule.blocks, 1);
}

}  // namespace

Shares::Shares(Collective collective, const Shape& shape, const Schedule& schedule)
    : whole_(whole_of(shape, schedule)),
      layout_(collective, shape, divide(collective, shape, schedule.blocks, whole_), {&schedule, 1}, false, 1) {}

std::uint64_t Shares::units(const Blocks& blocks) const {
  std::uint64_t units = 0;
  for (const Range& range : layout_.pieces(0, blocks)) units += range.size();
  return units;
}

}  // namespace railgauge
