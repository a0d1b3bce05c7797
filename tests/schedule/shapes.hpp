// The shapes that tests build schedules for.
#pragma once

#include <vector>

#include "bench/schedule/algorithms/catalog.hpp"

namespace railgauge::test {

// 2 to 33, 64, 127 and 128.
[[nodiscard]] std::vector<std::int32_t> proof_ranks();

// The shapes with this rank count that the algorithm serves: with roots for rooted collectives, and every division into nodes
// for algorithms that ask for one. Above 33 ranks a few of each.
[[nodiscard]] std::vector<Shape> shapes_of(const Algorithm& algorithm, std::int32_t ranks);

// The schedules of all ranks.
[[nodiscard]] std::vector<Schedule> build_all(const Algorithm& algorithm, Shape shape);

}  // namespace railgauge::test
