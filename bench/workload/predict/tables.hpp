// Predicted steps beside each other, or beside measured ones, as text for people.
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

// The same workload twice: times of the step, and of each kind of call where both have a timeline. Columns have the names, and
// the last one the difference in percent of the column `against`: 0 or 1.
[[nodiscard]] std::string comparison_text(const Workload& workload, const RunResult& first, const RunResult& second,
                                          const std::string& first_name, const std::string& second_name, int against);

}  // namespace railgauge
