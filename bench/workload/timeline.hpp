// When each node of a step ran on each rank.
#pragma once

#include <vector>

namespace railgauge {

// Seconds since the step began, by one clock. A call of a collective begins when its rank calls it, and ends when that rank's
// part is complete: waiting for other ranks is a part of it.
struct Interval {
  double start = 0, end = 0;
  [[nodiscard]] double length() const { return end - start; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

using Timeline = std::vector<std::vector<Interval>>;  // by rank and node

}  // namespace railgauge
