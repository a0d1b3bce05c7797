// The bytes that each rank of alltoallv_perf sends and receives (NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY).
#pragma once

#include <string>

#include "reports/result.hpp"

namespace railgauge::nccl_tests {

// Whole comment lines: one of the run, then one for each rank with the bytes that it sends and receives, and the bandwidth: the
// larger of the two divided by the time of the slowest rank.
[[nodiscard]] std::string rank_summary(const Result& result);

}  // namespace railgauge::nccl_tests
