// Columns; bench/workload/report/report.hpp.
#include <fmt/format.h>

#include "bench/workload/report/report.hpp"
#include "bench/workload/show/numbers.hpp"

namespace railgauge {

std::string comparison_text(const Comparison& comparison) {
  std::string text = fmt::format("{}:\n{:<34} {:>14} {:>14} {:>10}\n", comparison.title, "", comparison.first, comparison.second,
                                 comparison.difference_name());
  const auto row = [&](const ComparedTime& time) {
    text += fmt::format("{:<34} {:>14} {:>14} {:>10}\n", time.what, seconds_text(time.first), seconds_text(time.second),
                        difference_text(comparison.difference(time)));
  };
  for (const ComparedTime& time : comparison.step) row(time);
  if (comparison.calls.empty()) return text;
  for (const ComparedTime& time : comparison.calls) row(time);
  return text + "calls: all together, each from when its last rank came to its end\n";
}

}  // namespace railgauge
