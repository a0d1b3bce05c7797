// Runs a program of nccl-tests: starts this process's ranks, measures, and prints the output of nccl-tests.
#pragma once

#include "base/error.hpp"
#include "base/invocation.hpp"
#include "bench/nccl_tests/options.hpp"

namespace railgauge::nccl_tests {

// The exit codes of nccl-tests, as far as they can occur here.
enum class Code : int {
  good = 0,
  internal = 1,
  transport = 3,  // a rank was lost, or the transport failed
  timeout = 4,
  not_implemented = 5,
  usage = 6,
  wrong_data = 7,  // or the mean bandwidth is below the least one
  bad_size = 255,
};

// The exit code of nccl-tests for a fault of railgauge; `fault` is 0 or the number of a Fault.
[[nodiscard]] Code code_of(int fault) noexcept;

// Under a launcher each of its processes starts its own ranks, and the first process prints. Throws Error for a problem that it
// finds before it starts ranks.
[[nodiscard]] Code run(const Options& given, const Invocation& around);

}  // namespace railgauge::nccl_tests
