// How many operands the reductions of an algorithm have at once, for devices whose kernels take only so many.
#pragma once

#include <cstddef>
#include <string>

#include "bench/schedule/algorithms/catalog.hpp"

namespace railgauge {

// Why the device, which takes at most `most` sources or targets of one reduction (DeviceTable::most_operands; 0: any number),
// cannot run the algorithm; empty where it can.
[[nodiscard]] std::string too_wide(const Algorithm& algorithm, Shape shape, std::size_t most);
// `best`, or where it is too wide the first algorithm of its collective that serves the shape and is not; `best` where none is.
// Null for null.
[[nodiscard]] const Algorithm* narrow_enough(const Algorithm* best, const Shape& shape, bool in_place, std::size_t most);

}  // namespace railgauge
