// Counts calls of each group and messages of each channel; bench/workload/matches.hpp.
#include "bench/workload/matches.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace railgauge {
namespace {

// Of a collective: its group and place in the group's calls. Of a message: group, sender, receiver, tag and place among those.
using Key = std::tuple<int, int, int, int, std::uint32_t>;
constexpr int of_collective = -1;

}  // namespace

Matches matches_of(const Workload& workload) {
  Matches matches;
  std::map<Key, std::uint32_t> numbers;
  for (std::size_t rank = 0; rank < workload.nodes.size(); ++rank) {
    const std::vector<WorkNode>& nodes = workload.nodes[rank];
    std::map<std::tuple<int, int, int, int>, std::uint32_t> counts;
    std::vector<std::uint32_t>& of_node = matches.of_node.emplace_back(nodes.size(), no_match);
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      const WorkNode& node = nodes[i];
      if (!node.communicates()) continue;
      const std::vector<int>& ranks = workload.groups[static_cast<std::size_t>(node.group)].ranks;
      const auto me = static_cast<int>(std::find(ranks.begin(), ranks.end(), static_cast<int>(rank)) - ranks.begin());
      const bool sends = node.work == WorkKind::send;
      const auto [from, to, tag] = node.work == WorkKind::collective
                                       ? std::tuple(of_collective, of_collective, 0)
                                       : std::tuple(sends ? me : node.peer, sends ? node.peer : me, node.tag);
      const std::uint32_t nth = counts[{node.group, from, to, tag}]++;
      const auto [found, is_new] =
          numbers.emplace(Key{node.group, from, to, tag, nth}, static_cast<std::uint32_t>(matches.all.size()));
      if (is_new) matches.all.emplace_back().members.resize(node.work == WorkKind::collective ? ranks.size() : 2);
      const std::size_t place = node.work == WorkKind::collective ? static_cast<std::size_t>(me) : sends ? 0 : 1;
      matches.all[found->second].members[place] = {static_cast<int>(rank), i};
      of_node[i] = found->second;
    }
  }
  return matches;
}

}  // namespace railgauge
