// A workload whose ranks do the same in blocks (a pipeline stage, say), with the list of one rank of each block.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "bench/workload/workload.hpp"

namespace railgauge {

struct Folded {
  Workload step;  // its rank i stands for block i; groups have those of their members that stand for others
  std::vector<std::vector<int>> groups;  // all members of each group, by the numbers of the whole workload
  int block = 1;                         // ranks for which each stands
};

inline constexpr int most_unfolded = 64;  // ranks whose lists are all made, so that a timeline shows each

// Every rank stands for itself.
[[nodiscard]] Folded unfolded(Workload workload);

// `make(rank)`: the workload with the list of that rank alone, and Workload::alike.
[[nodiscard]] Folded folded(const std::function<Workload(int rank)>& make);

// folded() where there are more than most_unfolded ranks and some do the same; else nothing. `first`: the workload with the list
// of rank 0, which `make` is then not asked for.
[[nodiscard]] std::optional<Folded> folded_if_large(const Workload& first, const std::function<Workload(int rank)>& make);

}  // namespace railgauge
