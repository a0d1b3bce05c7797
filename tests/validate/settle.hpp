// What the stage pairs does about groups and levels, with a simulated fleet.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/validate/method/standing.hpp"
#include "tests/validate/simulator.hpp"

namespace railgauge::test {

struct SettledHosts {
  std::vector<validate::Slow> slow;  // confirmed
  std::vector<validate::Slow> open;
  bool many = false;
  Index rounds = 0;  // of one host with several at a time
};
[[nodiscard]] SettledHosts settle(Simulator& simulator, const validate::Samples& samples, const validate::Levels& levels,
                                  std::uint64_t seed);
[[nodiscard]] validate::Levels no_levels(const validate::Fleet& fleet);

}  // namespace railgauge::test
