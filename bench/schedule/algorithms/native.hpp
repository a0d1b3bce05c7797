// The algorithm "native": what a transport's library does by itself (transports/collectives.hpp). No schedule says how.
#pragma once

#include "bench/schedule/algorithms/catalog.hpp"

namespace railgauge {

// Of each collective, whether a library has it or not. Its schedule has no rounds: layouts follow from it, and nothing else does.
[[nodiscard]] const Algorithm& native_algorithm(Collective collective) noexcept;

[[nodiscard]] inline bool is_native(const Algorithm& algorithm) noexcept {
  return &algorithm == &native_algorithm(algorithm.collective);
}

}  // namespace railgauge
