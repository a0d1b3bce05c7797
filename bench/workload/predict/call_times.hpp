// The time of each distinct call of a step on a graph, by the algorithm that takes least.
#pragma once

#include <string>
#include <vector>

#include "bench/predict/links.hpp"
#include "bench/predict/predict.hpp"
#include "bench/workload/predict/calls.hpp"

namespace railgauge {

struct CallTimes {
  std::vector<double> seconds;          // by place in Calls::all
  std::vector<std::string> algorithms;  // in words, sorted
};

// `question`: routing and algorithms; where it names some that a collective has, these alone serve it. Throws Error(usage) for a
// call that none serves.
[[nodiscard]] CallTimes call_times(const predict::Links& links, const Calls& calls, const predict::Question& question);

}  // namespace railgauge
