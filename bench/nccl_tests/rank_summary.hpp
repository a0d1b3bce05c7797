// What each rank of alltoallv_perf sends and receives (NCCL_TESTS_ALLTOALLV_PRINT_SUMMARY).
#pragma once

#include <string>

#include "reports/result.hpp"

namespace railgauge::nccl_tests {

// Whole comment lines: one of the run, then one for each rank with its bytes, and the bandwidth that the larger of the two is in
// the time of the slowest.
[[nodiscard]] std::string rank_summary(const Result& result);

}  // namespace railgauge::nccl_tests
