// The named algorithms: which collective each performs, what it cannot do and what it costs. A new algorithm is a builder and a
// row.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/words.hpp"
#include "bench/schedule/schedule.hpp"

namespace railgauge {

// What one execution costs the busiest rank. Bytes are in units of the collective's size S (docs/bandwidth.md).
struct Cost {
  double rounds = 0;  // rounds that contain a transfer
  double bytes = 0;   // bytes that the busiest rank sends, divided by S
};

// Schedules that were read from a file (bench/select/stored_file.hpp).
struct StoredSchedules {
  std::int32_t root = 0;
  std::vector<Schedule> ranks;  // one for each
  bool out_of_place = true;     // work with input and output apart
  // Of a folder of files: used where they fit, for sizes S that the file names. Files that are asked for by name are always used.
  bool of_folder = false;
  std::uint64_t least_bytes = 0, most_bytes = 0;  // most_bytes 0: no limit
  [[nodiscard]] bool takes(std::uint64_t bytes) const {
    return !of_folder || (bytes >= least_bytes && (most_bytes == 0 || bytes <= most_bytes));
  }
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
  const StoredSchedules* stored = nullptr;  // then these serve for as many ranks and that root alone, and nothing is built

  // One rank's schedule; precondition: why_not(shape) is empty.
  [[nodiscard]] Schedule schedule(const Shape& shape) const {
    return stored != nullptr ? stored->ranks[static_cast<std::size_t>(shape.rank)] : build(shape);
  }
  [[nodiscard]] bool out_of_place() const { return stored == nullptr || stored->out_of_place; }
  // As refusal(), also of stored schedules.
  [[nodiscard]] std::string why_not(const Shape& shape) const;
};

// Grouped by collective in the order of the enumeration.
[[nodiscard]] std::span<const Algorithm> catalog() noexcept;

// Null when the collective has no algorithm of that name.
[[nodiscard]] const Algorithm* find_algorithm(Collective collective, std::string_view name) noexcept;

}  // namespace railgauge
