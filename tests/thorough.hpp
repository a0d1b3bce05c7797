// How much a test calculates: what takes seconds of a processor is smaller by default, and as large as it was meant in ci/full.
#pragma once

#include <cstdlib>

namespace railgauge::test {

// Whether RAILGAUGE_THOROUGH is set (job `thorough` of ci/full): simulations then run as often, and fabrics are as large, as the
// figures of the documentation were found with.
inline bool thorough() { return std::getenv("RAILGAUGE_THOROUGH") != nullptr; }

template <typename Number>
Number usual_or_thorough(Number usual, Number in_full) {
  return thorough() ? in_full : usual;
}

}  // namespace railgauge::test
