// Every pair beside what is usual for such a pair, as a matrix of hosts, or of groups of hosts where there are too many.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/validation/validation.hpp"

namespace railgauge::validation {

inline constexpr std::size_t most_matrix_hosts = 256;  // each with a row; of more, groups have one

struct ShareCell {
  std::uint32_t from = 0, to = 0;  // places in ShareMatrices::names
  double share = 0;                // of what is usual: 1 is as usual, 0 if no data came through
};

struct ShareMatrix {
  std::string name;              // "all rails, the lowest of each pair", "rail 3"
  std::vector<ShareCell> cells;  // by row, then by column; what was not measured has none
};

struct ShareMatrices {
  std::vector<std::string> names;  // shown(): of hosts or of groups
  std::size_t grouped = 0;         // hosts of the largest group; 0 where each host has a row
  std::vector<ShareMatrix> matrices;
};

// Of each pair figure its share of the median of its like: same rail, same models, both on one leaf or not. Rounds that confirm
// are no part of the median. Not a number where that is not known.
[[nodiscard]] std::vector<double> shares_of(const Validation& validation);

// A cell is the median over rounds; over rails, and within groups, the lowest.
[[nodiscard]] ShareMatrices share_matrices(const Validation& validation, const std::vector<double>& shares);

}  // namespace railgauge::validation
