// A number that differs where workloads do, so that ranks on several hosts can tell that they have the same.
#pragma once

#include <cstdint>

#include "bench/workload/workload.hpp"

namespace railgauge {

// Of all that decides how it runs: ranks, groups, and the nodes of all ranks. Formulas and notes do not count.
[[nodiscard]] std::uint64_t digest_of(const Workload& workload) noexcept;

}  // namespace railgauge
