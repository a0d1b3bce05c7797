// One block of elements, made by the instructions that the machine has.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/words.hpp"
#include "bench/measure/pattern.hpp"

namespace railgauge::pattern {

struct BlockOrder {
  Type type = Type::float32;
  Op op = Op::none;
  Source source;
  std::uint64_t seed = 0, number = 0, ranks = 1;
  const void* share = nullptr;  // of an input: the shares of its elements, Words of the type
  std::uint64_t forced = 0;     // bits that are set in every element
};

// Writes block_elements elements (bench/measure/pattern_words.hpp).
void make_block(const BlockOrder& order, std::byte* target);

}  // namespace railgauge::pattern
