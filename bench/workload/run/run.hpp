// `railgauge workload` from its options to its exit code: finds the ranks, runs the steps, and hands what they tell to writers.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/invocation.hpp"
#include "bench/workload/run/steps.hpp"
#include "bench/workload/workload.hpp"
#include "transports/transport.hpp"

namespace railgauge {

// The workload for so many ranks; nothing: as many as it has by itself. `first_alone`: the list of rank 0 is enough, which tells
// how large the others are before they are made.
using MakeWorkload = std::function<Workload(std::optional<int> ranks, bool first_alone)>;

// The lists of all ranks. Throws Error(usage) before they are made where they are too many for one machine; `purpose`: "run".
[[nodiscard]] Workload made_here(const MakeWorkload& make, std::optional<int> ranks, const char* purpose);

struct WorkloadRun {
  MakeWorkload make;
  std::optional<int> ranks;  // of this machine, or as many as the launcher must have started
  std::string transport;     // empty: shm on one host, ucx on several
  std::map<std::string, Settings> settings;
  StepOptions steps;
  std::optional<double> scale;  // nothing: so that the largest calls suit this machine
  std::vector<std::string> outputs;
};

// Returns the exit code. Throws Error for what was found out before the first step.
[[nodiscard]] int run_workload(const WorkloadRun& given, const Invocation& invocation);

}  // namespace railgauge
