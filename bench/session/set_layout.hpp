// The number of buffer sets of a point, and their offsets in a rank's memory.
#pragma once

#include <cstddef>
#include <vector>

#include "base/words.hpp"
#include "bench/select/sweep.hpp"
#include "bench/session/session_options.hpp"

namespace railgauge {

class SetLayout {
 public:
  // `last_level_cache`: bytes, of the rank that has most. The options must outlive it.
  SetLayout(const SessionOptions& options, std::size_t last_level_cache)
      : options_(options), last_level_cache_(last_level_cache) {}

  // The same on all ranks. Throws Error(usage) as choose_sets() does.
  [[nodiscard]] BufferSets sets_of(const Point& point) const;

  // Bytes from the beginning of a set to its first element: 0 unless the run is unaligned.
  [[nodiscard]] std::size_t shift(Type type) const { return options_.unaligned * bytes_of(type); }
  // Bytes from one set to the next, of sets with `set_bytes` each: one that starts off its alignment takes a part of the next
  // pages.
  [[nodiscard]] std::size_t stride(std::size_t set_bytes, Type type) const;

  // Bytes that rank `rank` needs for the largest of the points.
  [[nodiscard]] std::size_t bytes_needed(const std::vector<Point>& points, int rank) const;

 private:
  const SessionOptions& options_;
  std::size_t last_level_cache_;
};

}  // namespace railgauge
