// What a reader of a result should know besides its numbers.
#pragma once

#include <string>

#include "reports/result.hpp"

namespace railgauge {

// What ports (reports/power/wire.hpp) and clocks (reports/power/power.hpp) have to say, in sentences; empty where all was as it
// should be.
[[nodiscard]] std::string remark_of(const Result& result);

}  // namespace railgauge
