// Two hosts alone: one way may be slower than the other, and nobody can say whose fault it is.
#pragma once

#include "bench/validate/method/localise.hpp"

namespace railgauge::validate {

// At most one suspect, the sender of the slower way, with the receiver as its rival and nobody proven good. Both ways slow is not
// seen at all: that takes an expectation.
[[nodiscard]] Suspicion localise_two(const Fleet& fleet, const Samples& samples, const LocaliseOptions& options);

}  // namespace railgauge::validate
