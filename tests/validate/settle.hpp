// What the stage pairs does about groups and levels, with a simulated fleet.
#pragma once

#include <cstdint>

#include "bench/validate/method/settle.hpp"
#include "tests/validate/simulator.hpp"

namespace railgauge::test {

[[nodiscard]] validate::Settled settle(Simulator& simulator, const validate::Samples& samples, const validate::Levels& levels,
                                       std::uint64_t seed);
[[nodiscard]] validate::Levels no_levels(const validate::Fleet& fleet);

}  // namespace railgauge::test
