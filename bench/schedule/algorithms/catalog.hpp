// The named algorithms: which collective each performs, what it cannot do and what it costs. A new algorithm is a builder and a
// row.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/words.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge {

// What one execution costs the busiest rank. Bytes are in units of the collective's size S (docs/bandwidth.md).
struct Cost {
  double rounds = 0;  // rounds that contain a transfer
  double bytes = 0;   // bytes that the busiest rank sends, divided by S
};

struct Algorithm {
  std::string_view name;
  Collective collective;
  std::string_view summary;              // one line
  std::string_view paper;                // author, title, year
  bool equal_blocks;                     // every block must have the same bytes
  bool in_place;                         // works with input and output as one buffer
  Schedule (*build)(const Shape&);       // one rank's schedule; precondition: refusal(shape) is empty
  std::string (*refusal)(const Shape&);  // why it cannot serve this shape, a sentence fragment; empty when it can
  Cost (*cost)(const Shape&);
};

// Grouped by collective in the order of the enumeration.
[[nodiscard]] std::span<const Algorithm> catalog() noexcept;

// Null when the collective has no algorithm of that name.
[[nodiscard]] const Algorithm* find_algorithm(Collective collective, std::string_view name) noexcept;

}  // namespace railgauge
