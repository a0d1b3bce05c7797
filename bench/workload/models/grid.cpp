// Numbers ranks and makes their groups; bench/workload/models/grid.hpp.
#include "bench/workload/models/grid.hpp"

#include <fmt/format.h>

#include <functional>
#include <map>

namespace railgauge::models {

Grid::Place Grid::place_of(int rank) const {
  return {rank % tensor, rank / tensor % context, rank / (tensor * context) % data, rank / stage_ranks()};
}

int Grid::rank_of(const Place& place) const {
  return place.tensor + tensor * (place.context + context * (place.data + data * place.stage));
}

GridGroups::GridGroups(const Grid& grid, bool embedding, std::vector<ProcessGroup>& groups)
    : of_rank_(static_cast<std::size_t>(grid.ranks())) {
  // Ranks with the same key are a group.
  const auto add = [&](const char* kind, int size, int OfRank::* member, const std::function<int(int, const Grid::Place&)>& key) {
    if (size == 1) return;
    std::map<int, int> known;
    for (int rank = 0; rank < grid.ranks(); ++rank) {
      const int its = key(rank, grid.place_of(rank));
      if (its < 0) continue;
      const auto [found, is_new] = known.emplace(its, static_cast<int>(groups.size()));
      if (is_new) groups.push_back({fmt::format("{} {}", kind, known.size() - 1), kind, {}});
      groups[static_cast<std::size_t>(found->second)].ranks.push_back(rank);
      of_rank_[static_cast<std::size_t>(rank)].*member = found->second;
    }
  };
  const int slice = grid.tensor * grid.context;
  add("tensor", grid.tensor, &OfRank::tensor, [&](int rank, const Grid::Place&) { return rank / grid.tensor; });
  add("context", grid.context, &OfRank::context,
      [&](int rank, const Grid::Place& at) { return rank / slice * grid.tensor + at.tensor; });
  // Data and context ranks hold the same parameters.
  add("data", grid.data * grid.context, &OfRank::replicas,
      [&](int, const Grid::Place& at) { return at.stage * grid.tensor + at.tensor; });
  add("pipeline", grid.pipeline, &OfRank::pipeline, [&](int rank, const Grid::Place&) { return rank % grid.stage_ranks(); });
  add("expert", grid.expert, &OfRank::expert, [&](int rank, const Grid::Place&) { return rank / grid.expert; });
  const int copies = grid.stage_ranks() / grid.expert;
  if (grid.expert > 1)
    add("expert data", copies, &OfRank::expert_replicas,
        [&](int rank, const Grid::Place& at) { return at.stage * grid.expert + rank % grid.expert; });
  if (embedding && grid.pipeline > 1)
    add("embedding", 2, &OfRank::embedding, [&](int rank, const Grid::Place& at) {
      return at.stage == 0 || at.stage == grid.pipeline - 1 ? rank % grid.stage_ranks() : -1;
    });
}

}  // namespace railgauge::models
