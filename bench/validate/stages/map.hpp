// Makes the map of a report: the fabric of a fleet, what of it is faulty, and the share of the usual bandwidth of each host's
// cables.
#pragma once

#include <span>
#include <vector>

#include "bench/validate/method/fleet.hpp"
#include "reports/validation/validation.hpp"

namespace railgauge::validate {

// Returns an empty map where no switch is known. `found` has the hosts in the order of the fleet, and the diagnoses: a cable is
// faulty where the ends of one are its ends. `faulty` are components that stand for several cables at once.
[[nodiscard]] validation::Map map_of(const Fleet& fleet, const validation::Validation& found, std::span<const Component> faulty);

}  // namespace railgauge::validate
