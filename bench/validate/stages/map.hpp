// The fabric of a fleet as the report draws it, with what is faulty and how each cable of a host stands to what is usual.
#pragma once

#include <span>
#include <vector>

#include "bench/validate/method/fleet.hpp"
#include "reports/validation/validation.hpp"

namespace railgauge::validate {

// Empty where no switch is known. `found` tells hosts, by their places in the fleet, and verdicts: whose ends are those of a
// cable find it faulty. `faulty` are parts that name several cables at once.
[[nodiscard]] validation::Map map_of(const Fleet& fleet, const validation::Validation& found, std::span<const Component> faulty);

}  // namespace railgauge::validate
