// Predicted steps of several numbers of ranks, as text for people and as lines of JSON.
#pragma once

#include <string>
#include <vector>

#include "bench/workload/step_record.hpp"
#include "bench/workload/workload.hpp"

namespace railgauge {

// A step on so many ranks.
struct CurvePoint {
  int ranks = 0;
  StepRecord record;
  double items = 0;  // a second
  std::string item;
  [[nodiscard]] double efficiency() const { return record.seconds > 0 ? record.alone_computation / record.seconds : 0; }
};
[[nodiscard]] CurvePoint point_of(const Workload& workload, const RunResult& result, int ranks);

// A line for each number of ranks.
[[nodiscard]] std::string curve_text(const std::vector<CurvePoint>& points);
[[nodiscard]] std::string curve_line(const CurvePoint& point);  // JSON

}  // namespace railgauge
