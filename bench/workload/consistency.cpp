// Holds the ranks of a workload against each other.
#include "bench/workload/consistency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bench/workload/agree.hpp"

namespace railgauge {
namespace {

std::string named(const WorkNode& node, std::size_t rank, std::size_t position) {
  return fmt::format("{} {} (rank {}, position {})", work_names[static_cast<std::size_t>(node.work)], node.name, rank, position);
}

void expect_groups(const Workload& workload) {
  for (const ProcessGroup& group : workload.groups) {
    std::set<int> seen;
    if (group.ranks.empty()) refuse(workload, fmt::format("group {} has no ranks", group.name));
    for (const int rank : group.ranks) {
      if (rank < 0 || rank >= workload.ranks)
        refuse(workload, fmt::format("group {} names rank {}, and there are {} ranks", group.name, rank, workload.ranks));
      if (!seen.insert(rank).second) refuse(workload, fmt::format("group {} names rank {} twice", group.name, rank));
    }
  }
}

// Refuses nodes whose own fields make no sense.
void expect_fields(const Workload& workload, const WorkNode& node, std::size_t rank, std::size_t at) {
  if (node.group < 0 || static_cast<std::size_t>(node.group) >= workload.groups.size())
    refuse(workload, named(node, rank, at) + " is of a group that does not exist");
  const ProcessGroup& group = workload.groups[static_cast<std::size_t>(node.group)];
  const auto mine = std::find(group.ranks.begin(), group.ranks.end(), static_cast<int>(rank));
  if (mine == group.ranks.end())
    refuse(workload, named(node, rank, at) + " is of group " + group.name + ", which lacks the rank");
  const auto size = static_cast<int>(group.ranks.size());
  const auto me = static_cast<int>(mine - group.ranks.begin());
  const auto is_rank = [&](int which) { return which >= 0 && which < size; };
  if (node.work == WorkKind::collective) {
    if (!is_rank(node.root))
      refuse(workload, named(node, rank, at) + fmt::format(" has root {} in a group of {}", node.root, size));
    if (row(node.collective).reduces != (node.op != Op::none))
      refuse(workload, named(node, rank, at) + (node.op == Op::none ? " reduces by no operation" : " does not reduce"));
    const std::size_t counts = node.collective == Collective::all_to_all_v ? group.ranks.size() : 0;
    if (node.send_counts.size() != counts || node.receive_counts.size() != counts)
      refuse(workload, named(node, rank, at) + fmt::format(" needs counts to and from {} ranks", counts));
  } else if (!is_rank(node.peer) || node.peer == me) {
    refuse(workload, named(node, rank, at) + fmt::format(" has peer {} in a group of {}", node.peer, size));
  }
}

}  // namespace

void expect_consistent(const Workload& workload) {
  if (workload.ranks < 1 || workload.nodes.size() != static_cast<std::size_t>(workload.ranks))
    refuse(workload, fmt::format("there are {} ranks, and lists of {}", workload.ranks, workload.nodes.size()));
  expect_groups(workload);
  for (std::size_t rank = 0; rank < workload.nodes.size(); ++rank) {
    if (workload.nodes[rank].empty()) refuse(workload, fmt::format("nothing is known of rank {}", rank));
    for (std::size_t at = 0; at < workload.nodes[rank].size(); ++at) {
      const WorkNode& node = workload.nodes[rank][at];
      for (const std::uint32_t before : node.after)
        if (before >= at)
          refuse(workload, named(node, rank, at) + fmt::format(" waits for position {}, which comes later", before));
      if (node.communicates()) expect_fields(workload, node, rank, at);
    }
  }
  expect_agreement(workload);
}

}  // namespace railgauge
