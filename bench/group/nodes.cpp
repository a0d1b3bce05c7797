// Counts ranks and nodes.
#include "bench/group/nodes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace railgauge {

int count_nodes(const Group& group) {
  return static_cast<int>(std::set<std::string>(group.nodes().begin(), group.nodes().end()).size());
}

int rank_of_node(const Group& group) {
  const std::vector<std::string>& nodes = group.nodes();
  return static_cast<int>(std::count(nodes.begin(), nodes.begin() + group.rank(), nodes[static_cast<std::size_t>(group.rank())]));
}

int even_ranks_per_node(const Group& group) {
  std::map<std::string, int> counts;
  for (const std::string& node : group.nodes()) ++counts[node];
  for (const auto& [node, count] : counts)
    if (count != counts.begin()->second) return 1;
  return counts.begin()->second;
}

int ranks_per_node_in_turn(const Group& group) {
  const int each = even_ranks_per_node(group);
  const std::vector<std::string>& nodes = group.nodes();
  for (std::size_t rank = 0; rank < nodes.size(); ++rank)
    if (nodes[rank] != nodes[rank - rank % static_cast<std::size_t>(each)]) return 1;
  return each;
}

}  // namespace railgauge
