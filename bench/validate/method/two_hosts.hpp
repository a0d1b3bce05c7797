// Two hosts alone: one direction may be slower than the other, and nothing tells which of the hosts is faulty.
#pragma once

#include "bench/validate/method/localise.hpp"

namespace railgauge::validate {

// Returns at most one suspect, the sender of the slower direction, with the receiver as its rival, and no good host. Where both
// directions are slow it sees nothing: that takes an expectation.
[[nodiscard]] Suspicion localise_two(const Fleet& fleet, const Samples& samples, const LocaliseOptions& options);

}  // namespace railgauge::validate
