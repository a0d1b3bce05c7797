// What counters of ports say about a run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reports/result.hpp"

namespace railgauge {

// Bytes that left by the planned ports; by all of them where none was planned. Empty where one of those counts none.
[[nodiscard]] std::optional<std::uint64_t> bytes_sent(const Wire& wire);
// By how much counters of errors grew, on all ports.
[[nodiscard]] std::uint64_t errors_counted(const Wire& wire);

// A sentence where bytes took other ports than planned, or errors were counted; else empty.
[[nodiscard]] std::string remark_of(const Wire& wire);

}  // namespace railgauge
