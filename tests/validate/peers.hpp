// What others do to find slow hosts, in the same simulation: docs/validate-method.md has the figures.
#pragma once

#include <vector>

#include "tests/validate/simulator.hpp"

namespace railgauge::test {

// Hosts that are faulty, ascending. `least` is the share of the usual bandwidth below which a test fails.
//
// Disjoint pairs; who fails is tested once more with somebody who passed, and faulty where that fails too. (Cluster Health
// Scanner.)
[[nodiscard]] std::vector<Index> two_passes(Simulator& simulator, double least);
// All together; groups that fail are halved, down to two, each of which is then tested with somebody who passed. A group is as
// fast as its slowest member.
[[nodiscard]] std::vector<Index> bisection(Simulator& simulator, double least);

}  // namespace railgauge::test
