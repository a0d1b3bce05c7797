// Sequences of calls, group by group.
#include "bench/workload/agree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.hpp"

namespace railgauge {
namespace {

std::string text_of_call(const WorkNode& node) {
  if (node.collective == Collective::barrier) return "barrier";
  std::string text(name(node.collective));
  if (node.collective != Collective::all_to_all_v) text += fmt::format(" of {} elements", node.elements);
  text += fmt::format(" {}", name(node.type));
  if (node.op != Op::none) text += fmt::format(" {}", name(node.op));
  return row(node.collective).rooted ? text + fmt::format(" from root {}", node.root) : text;
}

bool same_call(const WorkNode& a, const WorkNode& b) {
  const bool uneven = a.collective == Collective::all_to_all_v;
  return a.collective == b.collective && (uneven || a.elements == b.elements) && a.type == b.type && a.op == b.op &&
         (a.root == b.root || !row(a.collective).rooted);
}

using Calls = std::vector<const WorkNode*>;
using Channel = std::tuple<int, int, int, int>;  // group, sender, receiver, tag
struct Traffic {
  Calls sent, received;
};

struct GroupCalls {
  std::map<int, Calls> of_rank;  // by rank in the group, those with lists alone
};

void expect_same_calls(const Workload& workload, const ProcessGroup& group, const GroupCalls& calls) {
  if (calls.of_rank.empty()) return;
  const auto& [first_rank, first] = *calls.of_rank.begin();
  const auto rank_of = [&](int position) { return group.ranks[static_cast<std::size_t>(position)]; };
  for (const auto& [position, theirs] : calls.of_rank) {
    for (std::size_t n = 0; n < std::min(first.size(), theirs.size()); ++n)
      if (!same_call(*first[n], *theirs[n]))
        refuse(workload, fmt::format("call {} of group {} is {} on rank {}, and {} on rank {}", n + 1, group.name,
                                     text_of_call(*first[n]), rank_of(first_rank), text_of_call(*theirs[n]), rank_of(position)));
    if (first.size() != theirs.size())
      refuse(workload, fmt::format("rank {} has {} calls of group {}, and rank {} has {}", rank_of(first_rank), first.size(),
                                   group.name, rank_of(position), theirs.size()));
  }
  for (std::size_t n = 0; n < first.size(); ++n) {
    if (first[n]->collective != Collective::all_to_all_v) continue;
    for (const auto& [from, sender] : calls.of_rank)
      for (const auto& [to, receiver] : calls.of_rank) {
        const std::uint64_t sent = sender[n]->send_counts.at(static_cast<std::size_t>(to));
        const std::uint64_t received = receiver[n]->receive_counts.at(static_cast<std::size_t>(from));
        if (sent != received)
          refuse(workload, fmt::format("call {} of group {}: rank {} sends {} elements to rank {}, which receives {}", n + 1,
                                       group.name, rank_of(from), sent, rank_of(to), received));
      }
  }
}

void expect_same_messages(const Workload& workload, const Channel& channel, const Traffic& traffic) {
  const auto& [number, from, to, tag] = channel;
  const ProcessGroup& group = workload.groups[static_cast<std::size_t>(number)];
  const auto has_list = [&](int position) {
    return !workload.nodes[static_cast<std::size_t>(group.ranks[static_cast<std::size_t>(position)])].empty();
  };
  if (!has_list(from) || !has_list(to)) return;
  const int sender = group.ranks[static_cast<std::size_t>(from)], receiver = group.ranks[static_cast<std::size_t>(to)];
  for (std::size_t n = 0; n < std::min(traffic.sent.size(), traffic.received.size()); ++n)
    if (traffic.sent[n]->bytes() != traffic.received[n]->bytes())
      refuse(workload, fmt::format("message {} of group {} from rank {} to rank {} has {} bytes there, and {} here", n + 1,
                                   group.name, sender, receiver, traffic.sent[n]->bytes(), traffic.received[n]->bytes()));
  if (traffic.sent.size() != traffic.received.size())
    refuse(workload,
           fmt::format("rank {} sends {} messages to rank {} in group {}{}, which receives {}", sender, traffic.sent.size(),
                       receiver, group.name, tag == 0 ? "" : fmt::format(" with tag {}", tag), traffic.received.size()));
}

}  // namespace

void refuse(const Workload& workload, const std::string& what) {
  throw Error(Fault::usage, fmt::format("{}: {}", workload.name, what));
}

std::vector<int> ranks_without_trace(const Workload& workload) {
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < workload.nodes.size(); ++rank)
    if (workload.nodes[rank].empty()) ranks.push_back(static_cast<int>(rank));
  return ranks;
}

std::string text_of_ranks(const std::vector<int>& ranks) {
  std::string text;
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += std::to_string(ranks[first]);
    if (last != first) text += fmt::format("-{}", ranks[last]);
    first = last + 1;
    if (text.size() > 200 && first < ranks.size()) return text + ", ...";
  }
  return text;
}

void expect_agreement(const Workload& workload) {
  std::vector<GroupCalls> calls(workload.groups.size());
  std::map<Channel, Traffic> messages;
  for (std::size_t g = 0; g < workload.groups.size(); ++g) {
    const std::vector<int>& ranks = workload.groups[g].ranks;
    for (std::size_t position = 0; position < ranks.size(); ++position)
      if (!workload.nodes[static_cast<std::size_t>(ranks[position])].empty()) calls[g].of_rank[static_cast<int>(position)];
  }
  for (std::size_t rank = 0; rank < workload.nodes.size(); ++rank) {
    std::map<int, int> places;  // of this rank, by group
    for (const WorkNode& node : workload.nodes[rank]) {
      if (!node.communicates()) continue;
      const auto [place, is_new] = places.try_emplace(node.group, 0);
      if (is_new) {
        const std::vector<int>& ranks = workload.groups[static_cast<std::size_t>(node.group)].ranks;
        place->second = static_cast<int>(std::find(ranks.begin(), ranks.end(), static_cast<int>(rank)) - ranks.begin());
      }
      const int me = place->second;
      if (node.work == WorkKind::collective)
        calls[static_cast<std::size_t>(node.group)].of_rank[me].push_back(&node);
      else if (node.work == WorkKind::send)
        messages[{node.group, me, node.peer, node.tag}].sent.push_back(&node);
      else
        messages[{node.group, node.peer, me, node.tag}].received.push_back(&node);
    }
  }
  for (std::size_t g = 0; g < calls.size(); ++g) expect_same_calls(workload, workload.groups[g], calls[g]);
  for (const auto& [channel, traffic] : messages) expect_same_messages(workload, channel, traffic);
}

}  // namespace railgauge
