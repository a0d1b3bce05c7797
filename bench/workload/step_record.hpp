// What is known of one measured step, and of a run of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/workload/timeline.hpp"

namespace railgauge {

// Seconds. A step lasts from the first begin to the last end of a node on any rank; the others are means over the ranks.
struct StepRecord {
  std::uint64_t step = 0;
  double seconds = 0;
  double computing = 0;            // in which a rank computes
  double communicating = 0;        // in which it communicates
  double exposed = 0;              // of that, beside no computation
  double alone_communication = 0;  // a step without computations
  double alone_computation = 0;    // of the rank that computes longest, without communication
};

struct WrongData {
  int rank = 0;
  std::string sentence;
};

struct RunResult {
  std::vector<StepRecord> steps;
  std::optional<WrongData> wrong;       // then no step after it
  Timeline timeline;                    // of the step whose time is the median; of all ranks, in rank 0's clock
  std::uint64_t shown = 0;              // that step
  std::vector<std::string> algorithms;  // that ran, in words, sorted
  std::vector<std::string> notes;       // of the run, for people
  bool predicted = false;               // then it has one step, which did not run
};

}  // namespace railgauge
