// How the time of one case went on from run to run, as a page shows it: plain records that whoever has a history fills in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace railgauge::web {

// Times are seconds; not a number where they are not known.
struct TrendPoint {
  std::string label;    // for people: a commit, a tag, a run's name
  std::int64_t at = 0;  // seconds since 1970, UTC; 0 where it is not known
  double value = std::numeric_limits<double>::quiet_NaN();
  double low = std::numeric_limits<double>::quiet_NaN();  // of the interval of `value`
  double high = std::numeric_limits<double>::quiet_NaN();
  bool refused = false;  // a gate stopped it: it is part of no baseline
};

// The level that later runs are compared with.
struct TrendBaseline {
  double value = 0, low = 0, high = 0;
  std::size_t first = 0, last = 0;  // numbers of the points it was made of; first behind last: of none that are here
};

// From this point on the level is another.
struct TrendStep {
  std::size_t at = 0;
  double change = 0;  // of times: 0.05 is 5 % slower
};

struct Trend {
  std::string title;
  std::vector<TrendPoint> points;  // oldest first
  std::optional<TrendBaseline> baseline = std::nullopt;
  std::vector<TrendStep> steps = {};  // ascending
};

}  // namespace railgauge::web
