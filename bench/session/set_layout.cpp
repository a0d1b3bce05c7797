#include "bench/session/set_layout.hpp"

#include <algorithm>

#include "bench/plan/collective_spec.hpp"
#include "bench/schedule/traffic.hpp"

namespace railgauge {
namespace {

constexpr std::size_t set_budget = std::size_t{256} << 20;  // of one rank, unless one set is larger
constexpr std::size_t kept_warm = std::size_t{256} << 10;   // of sets that stay in the caches of a core

// Of input or output, whichever is larger, of the rank that has most.
std::uint64_t busiest_bytes(const Point& point) {
  const Collective collective = point.spec.algorithm->collective;
  if (collective == Collective::pairs) return point.bytes;  // a round at a time
  return point.bytes * busiest_end(collective, point.spec.shape);
}

}  // namespace

BufferSets SetLayout::sets_of(const Point& point) const {
  if (options_.fixed) return rotating_sets(point.bytes, *options_.fixed, last_level_cache_);
  BufferSets sets = choose_sets(busiest_bytes(point), options_.cache, last_level_cache_, set_budget);
  // Of a batch on one set only the last iteration leaves data to check: what is short enough for batches has sets for them.
  if (mode_of(options_, point.spec.algorithm->collective) != Mode::back_to_back && options_.check_every && !sets.cold)
    sets.count = std::max<std::size_t>(
        sets.count, std::min<std::uint64_t>(kept_warm / buffers_of_a_set / std::max<std::uint64_t>(busiest_bytes(point), 1),
                                            sets_when_automatic));
  return sets;
}

std::size_t SetLayout::stride(std::size_t set_bytes, Type type) const {
  return set_bytes + (shift(type) + buffer_alignment - 1) / buffer_alignment * buffer_alignment;
}

std::size_t SetLayout::bytes_needed(const std::vector<Point>& points, int rank) const {
  std::size_t most = buffer_alignment;
  for (const Point& point : points) {
    if (!point.refusal.empty()) continue;
    CollectiveSpec spec = point.spec;
    spec.shape.rank = rank;
    // A round of pairs in which this rank has a partner: it sits out of round `rank` if of any.
    if (spec.algorithm->collective == Collective::pairs) spec.shape.round = rank == 0 ? 1 : 0;
    const BufferSets sets = sets_of(point);
    most = std::max(most, sets.count * stride(RankParts(spec).mine().set_bytes(spec.type), spec.type));
  }
  return most;
}

}  // namespace railgauge
