// How ranks are laid out in groups: tensor innermost, then context, data, and pipeline outermost, as Megatron-LM orders them.
#pragma once

#include <string>
#include <vector>

#include "bench/workload/workload.hpp"

namespace railgauge::models {

// Rank = tensor + t * (context + c * (data + d * stage)).
struct Grid {
  int tensor = 1, context = 1, data = 1, pipeline = 1;
  int expert = 1;  // consecutive ranks of a stage; divides tensor * context * data

  struct Place {
    int tensor = 0, context = 0, data = 0, stage = 0;
  };
  [[nodiscard]] int ranks() const { return tensor * context * data * pipeline; }
  [[nodiscard]] int stage_ranks() const { return tensor * context * data; }
  [[nodiscard]] Place place_of(int rank) const;
  [[nodiscard]] int rank_of(const Place& place) const;
};

// The groups of a grid. Kinds whose groups have one rank have none.
class GridGroups {
 public:
  // `embedding`: the first and the last stage share a parameter, whose gradients they sum.
  GridGroups(const Grid& grid, bool embedding, std::vector<ProcessGroup>& groups);

  // Position in `groups` of the group of a rank; no_group where it is alone.
  static constexpr int no_group = -1;
  struct OfRank {
    int tensor = no_group, context = no_group, replicas = no_group, pipeline = no_group, expert = no_group,
        expert_replicas = no_group, embedding = no_group;
  };
  [[nodiscard]] const OfRank& of(int rank) const { return of_rank_[static_cast<std::size_t>(rank)]; }

 private:
  std::vector<OfRank> of_rank_;
};

}  // namespace railgauge::models
