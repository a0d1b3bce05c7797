// Finds calls that are alike; bench/workload/channels.hpp.
#include "bench/workload/channels.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace railgauge {
namespace {

using Counts = std::vector<std::vector<std::uint64_t>>;
using Key = std::tuple<bool, int, Collective, Type, Op, int, int, int, std::uint64_t, Counts>;

}  // namespace

Channels channels_of(const Workload& workload, const Matches& matches) {
  Channels channels;
  for (const std::vector<WorkNode>& nodes : workload.nodes) channels.of_node.emplace_back(nodes.size(), no_channel);
  std::map<Key, int> known;
  for (const Match& match : matches.all) {
    const Match::Member& first = match.members.front();
    const WorkNode& node = workload.nodes[static_cast<std::size_t>(first.rank)][first.node];
    Channel channel;
    channel.collective = node.work == WorkKind::collective;
    channel.what = channel.collective ? node.collective : Collective::stream;
    channel.type = node.type;
    channel.op = node.op;
    channel.root = channel.collective ? node.root : 0;
    channel.elements = node.elements;
    for (const Match::Member& member : match.members) {
      channel.ranks.push_back(member.rank);
      const WorkNode& its = workload.nodes[static_cast<std::size_t>(member.rank)][member.node];
      if (channel.what != Collective::all_to_all_v) continue;
      channel.counts.push_back(its.send_counts);
      channel.elements = std::max(channel.elements, its.elements);
    }
    const int from = channel.collective ? 0 : channel.ranks[0], to = channel.collective ? 0 : channel.ranks[1];
    const auto [found, is_new] =
        known.emplace(Key{channel.collective, node.group, channel.what, channel.type, channel.op,
                          channel.collective ? channel.root : node.tag, from, to, channel.elements, channel.counts},
                      static_cast<int>(channels.all.size()));
    if (is_new) channels.all.push_back(std::move(channel));
    for (const Match::Member& member : match.members)
      channels.of_node[static_cast<std::size_t>(member.rank)][member.node] = found->second;
  }
  return channels;
}

}  // namespace railgauge
