// Which data each step of a program carries or changes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/schedule/picture/places.hpp"
#include "bench/schedule/proof/execution.hpp"
#include "bench/schedule/read/program.hpp"

namespace railgauge::picture {

// Of each step in `order`: the blocks of its data, numbered as in the larger one of input and output (of the rank where they
// began), wherever they lie. Empty where nothing had been written.
[[nodiscard]] std::vector<BlockRanges> data_of(const Program& program, const StepTable& table,
                                               std::span<const std::uint32_t> order);

}  // namespace railgauge::picture
