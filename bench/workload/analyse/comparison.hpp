// The same workload twice: before and after a change of its topology, or predicted and measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/workload/step_record.hpp"
#include "bench/workload/workload.hpp"

namespace railgauge {

struct ComparedTime {
  std::string what;
  double first = 0, second = 0;  // seconds
};

struct Comparison {
  std::string title;               // "predicted beside measured"
  std::string first, second;       // what the two are: "predicted", "measured"
  bool against_second = false;     // differences are shares of the second, as errors of a prediction are, not of the first
  std::vector<ComparedTime> step;  // the step and its parts
  // Each kind of call, all together: from when the last rank of each came to its last end. Empty where one has no timeline.
  std::vector<ComparedTime> calls;

  // From the one that it is a share of to the other: 0.1 is a tenth more. Nothing where that one is 0.
  [[nodiscard]] std::optional<double> difference(const ComparedTime& time) const;
  [[nodiscard]] const char* difference_name() const { return against_second ? "error" : "change"; }
};

// Its times; title and names are the caller's.
[[nodiscard]] Comparison compared(const Workload& workload, const RunResult& first, const RunResult& second);

}  // namespace railgauge
