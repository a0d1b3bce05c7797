// The rows of bench/schedule/algorithms/native.hpp.
#include "bench/schedule/algorithms/native.hpp"

#include <vector>

namespace railgauge {
namespace {

std::vector<Algorithm> make_rows() {
  std::vector<Algorithm> rows;
  for (const CollectiveRow& row : collectives())
    rows.push_back({.name = "native",
                    .collective = row.collective,
                    .summary = "as the transport's library does it",
                    .paper = "",
                    .equal_blocks = false,  // what the library asks for, its table says
                    .in_place = row.in_place,
                    .build = [](const Shape&) { return Schedule{.blocks = 1, .slots = 0, .rounds = {}}; },
                    .refusal = [](const Shape&) { return std::string(); },
                    .cost = [](const Shape&) { return Cost{}; }});
  return rows;
}

}  // namespace

const Algorithm& native_algorithm(Collective collective) noexcept {
  static const std::vector<Algorithm> rows = make_rows();
  return rows[static_cast<std::size_t>(collective)];
}

}  // namespace railgauge
