// Workloads drawn at random, and what tests of traces share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/workload/workload.hpp"

namespace railgauge::test {

// A workload of 1 to 6 ranks whose ranks agree: collectives, messages, computations and joins on several groups and streams.
[[nodiscard]] Workload drawn_workload(std::uint64_t seed);

// Calls of one rank, one a line: "all_reduce 2049000 float32 0", "send 32768 float32 to 1".
[[nodiscard]] std::vector<std::string> calls_of(const Workload& workload, int rank);

// The sentence with which a trace is refused; "" where it is read.
[[nodiscard]] std::string refusal_of(const std::string& bytes, const std::string& origin = "t");

[[nodiscard]] std::string gzipped(const std::string& bytes);

}  // namespace railgauge::test
