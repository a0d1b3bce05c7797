// Takes the lists one by one; bench/workload/predict/fold.hpp.
#include "bench/workload/predict/fold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace railgauge {
namespace {

// Positions in the whole group become those among the members that stand for others.
int renumbered(const std::vector<int>& members, int position, int block) {
  const int rank = members[static_cast<std::size_t>(position)];
  if (rank % block != 0) throw std::logic_error("a message leaves the ranks that stand for others");
  return static_cast<int>(
      std::count_if(members.begin(), members.begin() + position, [&](int each) { return each % block == 0; }));
}

}  // namespace

Folded unfolded(Workload workload) {
  Folded it;
  for (const ProcessGroup& group : workload.groups) it.groups.push_back(group.ranks);
  it.step = std::move(workload);
  return it;
}

Folded folded(const std::function<Workload(int rank)>& make) {
  Folded it;
  it.step = make(0);
  it.block = it.step.alike;
  const int all = it.step.ranks;
  std::vector<std::vector<WorkNode>> lists(static_cast<std::size_t>(all / it.block));
  lists[0] = std::move(it.step.nodes[0]);
  for (std::size_t i = 1; i < lists.size(); ++i) {
    const std::size_t rank = i * static_cast<std::size_t>(it.block);
    lists[i] = std::move(make(static_cast<int>(rank)).nodes[rank]);
  }
  for (ProcessGroup& group : it.step.groups) {
    it.groups.push_back(group.ranks);
    group.whole = static_cast<int>(group.ranks.size());
    std::erase_if(group.ranks, [&](int rank) { return rank % it.block != 0; });
    for (int& rank : group.ranks) rank /= it.block;
  }
  for (std::vector<WorkNode>& list : lists)
    for (WorkNode& node : list)
      if (node.work == WorkKind::send || node.work == WorkKind::receive)
        node.peer = renumbered(it.groups[static_cast<std::size_t>(node.group)], node.peer, it.block);
  it.step.nodes = std::move(lists);
  it.step.ranks = static_cast<int>(it.step.nodes.size());
  if (it.block > 1)
    it.step.notes.push_back(
        fmt::format("{} ranks, of which {} follow each other and do the same: rank i here stands for {} i to {} i + {}", all,
                    it.block, it.block, it.block, it.block - 1));
  return it;
}

std::optional<Folded> folded_if_large(const Workload& first, const std::function<Workload(int rank)>& make) {
  if (first.ranks <= most_unfolded || first.alike <= 1) return std::nullopt;
  return folded([&](int rank) { return rank == 0 ? first : make(rank); });
}

}  // namespace railgauge
