// Groups and ranks renumbered.
#include "bench/workload/subset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "bench/workload/agree.hpp"

namespace railgauge {
namespace {

constexpr std::size_t most_filled = 1'000'000;  // nodes

// A group among fewer ranks.
struct SmallerGroup {
  std::vector<int> place;  // by position in the former group: in the smaller one, -1: gone
  int position = -1;       // of the group; -1: fewer than two ranks are left
};

void drop_counts(std::vector<std::uint64_t>& counts, const SmallerGroup& group) {
  std::vector<std::uint64_t> kept;
  for (std::size_t i = 0; i < counts.size(); ++i)
    if (group.place[i] >= 0) kept.push_back(counts[i]);
  counts = std::move(kept);
}

void shrink(const Workload& workload, WorkNode& node, const SmallerGroup& group, int rank) {
  const ProcessGroup& former = workload.groups[static_cast<std::size_t>(node.group)];
  const bool collective = node.work == WorkKind::collective;
  int& other = collective ? node.root : node.peer;
  if (!collective || row(node.collective).rooted) {
    const int place = group.place[static_cast<std::size_t>(other)];
    if (place < 0)
      refuse(workload, fmt::format("{} of rank {} ({}) needs rank {} of group {}, which is not among those that are left",
                                   collective ? name(node.collective) : work_names[static_cast<std::size_t>(node.work)], rank,
                                   node.name, former.ranks[static_cast<std::size_t>(other)], former.name));
    other = place;
  }
  if (group.position < 0) {
    node.work = WorkKind::marker;
    node.send_counts.clear();
    node.receive_counts.clear();
    return;
  }
  node.group = group.position;
  if (!collective) return;
  const auto left =
      static_cast<std::uint64_t>(std::count_if(group.place.begin(), group.place.end(), [](int place) { return place >= 0; }));
  if (node.collective == Collective::all_to_all && left > 0) node.elements -= node.elements % left;
  if (node.collective != Collective::all_to_all_v) return;
  drop_counts(node.send_counts, group);
  drop_counts(node.receive_counts, group);
  node.elements = 0;
  for (const std::uint64_t count : node.send_counts) node.elements += count;
}

// Finds, for a group of one rank, the group in which another rank has that part.
class Counterparts {
 public:
  explicit Counterparts(const Workload& workload) : workload_(workload) {
    for (std::size_t g = 0; g < workload.groups.size(); ++g)
      for (const int member : workload.groups[g].ranks) groups_of_[member].push_back(static_cast<int>(g));
  }
  // -1: there is none, or more than one.
  [[nodiscard]] int find(int group, int rank) const {
    const auto mine = groups_of_.find(rank);
    if (mine == groups_of_.end()) return -1;
    if (std::find(mine->second.begin(), mine->second.end(), group) != mine->second.end()) return group;
    const ProcessGroup& like = workload_.groups[static_cast<std::size_t>(group)];
    int found = -1;
    for (const int candidate : mine->second) {
      const ProcessGroup& one = workload_.groups[static_cast<std::size_t>(candidate)];
      if (one.kind.empty() || one.kind != like.kind || one.ranks.size() != like.ranks.size()) continue;
      if (found >= 0) return -1;
      found = candidate;
    }
    return found;
  }

 private:
  const Workload& workload_;
  std::map<int, std::vector<int>> groups_of_;
};

int position_of(const ProcessGroup& group, int rank) {
  return static_cast<int>(std::find(group.ranks.begin(), group.ranks.end(), rank) - group.ranks.begin());
}

std::vector<std::uint64_t> rotated(const std::vector<std::uint64_t>& counts, int shift) {
  std::vector<std::uint64_t> result(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) result[(i + static_cast<std::size_t>(shift)) % counts.size()] = counts[i];
  return result;
}

}  // namespace

Workload subset(const Workload& workload, int ranks) {
  if (ranks < 1 || ranks > workload.ranks)
    refuse(workload, fmt::format("it has {} ranks, and {} are asked for", workload.ranks, ranks));
  Workload smaller = workload;
  if (ranks == workload.ranks) return smaller;
  smaller.ranks = ranks;
  smaller.groups.clear();
  smaller.nodes.resize(static_cast<std::size_t>(ranks));
  std::vector<SmallerGroup> map;
  for (const ProcessGroup& group : workload.groups) {
    SmallerGroup made;
    ProcessGroup left{group.name, group.kind, {}};
    for (const int member : group.ranks) {
      made.place.push_back(member < ranks ? static_cast<int>(left.ranks.size()) : -1);
      if (member < ranks) left.ranks.push_back(member);
    }
    if (left.ranks.size() > 1) {
      made.position = static_cast<int>(smaller.groups.size());
      smaller.groups.push_back(std::move(left));
    }
    map.push_back(std::move(made));
  }
  for (int rank = 0; rank < ranks; ++rank)
    for (WorkNode& node : smaller.nodes[static_cast<std::size_t>(rank)])
      if (node.communicates()) shrink(workload, node, map[static_cast<std::size_t>(node.group)], rank);
  smaller.items_per_step = workload.items_per_step * ranks / workload.ranks;
  smaller.notes.push_back(fmt::format(
      "the first {} of {} ranks alone: groups have fewer members, and calls the sizes that they had", ranks, workload.ranks));
  return smaller;
}

Workload filled(Workload workload) {
  const std::vector<int> missing = ranks_without_trace(workload);
  if (missing.empty()) return workload;
  const auto there = std::find_if(workload.nodes.begin(), workload.nodes.end(), [](const auto& nodes) { return !nodes.empty(); });
  if (there == workload.nodes.end()) refuse(workload, "no rank has a trace");
  const auto model = static_cast<int>(there - workload.nodes.begin());
  const std::vector<WorkNode>& like = *there;
  if (like.size() * workload.nodes.size() > most_filled)
    refuse(workload, fmt::format("{} ranks with the {} nodes of rank {} are more than {} nodes: ask for fewer ranks",
                                 workload.ranks, like.size(), model, most_filled));
  const Counterparts counterparts(workload);
  for (const int rank : missing) {
    std::map<int, std::pair<int, int>> places;  // by the model's group: the rank's, and how far its position is from the model's
    std::vector<WorkNode>& nodes = workload.nodes[static_cast<std::size_t>(rank)];
    nodes = like;
    for (WorkNode& node : nodes) {
      if (!node.communicates()) continue;
      const auto [place, is_new] = places.try_emplace(node.group);
      const ProcessGroup& before = workload.groups[static_cast<std::size_t>(node.group)];
      if (is_new) {
        const int group = counterparts.find(node.group, rank);
        if (group < 0)
          refuse(
              workload,
              fmt::format("rank {} has no trace, and no group of it is like group {} of rank {}: give its trace, or fewer ranks",
                          rank, before.name, model));
        const auto size = static_cast<int>(before.ranks.size());
        const int shift = position_of(workload.groups[static_cast<std::size_t>(group)], rank) - position_of(before, model);
        place->second = {group, (shift + size) % size};
      }
      const int shift = place->second.second;
      if (node.work != WorkKind::collective) node.peer = (node.peer + shift) % static_cast<int>(before.ranks.size());
      if (!node.send_counts.empty()) {
        node.send_counts = rotated(node.send_counts, shift);
        node.receive_counts = rotated(node.receive_counts, shift);
      }
      node.group = place->second.first;
    }
  }
  workload.notes.push_back(fmt::format("rank{} {} {} as rank {} does, since there is no trace of {}",
                                       missing.size() == 1 ? "" : "s", text_of_ranks(missing),
                                       missing.size() == 1 ? "does" : "do", model, missing.size() == 1 ? "it" : "them"));
  expect_agreement(workload);
  return workload;
}

}  // namespace railgauge
