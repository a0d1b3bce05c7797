// Follows every branch.
#include "tests/bound/forests.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "topo/bound/bound.hpp"

namespace railgauge::test {

std::string wrong_with(const topo::OutTree& tree, std::size_t ranks) {
  std::map<std::int32_t, std::uint32_t> depths{{tree.root, 0}};
  for (const topo::OutTree::Branch& branch : tree.branches) {
    const auto from = depths.find(branch.from);
    if (from == depths.end()) return fmt::format("a branch from {} before one to it", branch.from);
    if (from->second != branch.depth) return fmt::format("a branch from {} has another depth", branch.from);
    if (!depths.try_emplace(branch.to, branch.depth + 1).second) return fmt::format("two branches to {}", branch.to);
  }
  return depths.size() == ranks ? "" : fmt::format("{} ranks of {}", depths.size(), ranks);
}

std::string wrong_with_paths(const topo::Network& network, const topo::Forest& forest) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> capacities, loads;
  for (const topo::Arc& arc : network.arcs) capacities[{arc.from, arc.to}] += static_cast<double>(arc.capacity);
  for (const topo::OutTree& tree : forest.list)
    for (const topo::OutTree::Branch& branch : tree.branches) {
      std::vector<std::uint32_t> whole = forest.paths.at(branch.up);
      const std::vector<std::uint32_t>& down = forest.paths.at(branch.down);
      if (whole.back() != down.back()) return fmt::format("the paths of {} and {} do not meet", branch.from, branch.to);
      whole.insert(whole.end(), down.rbegin() + 1, down.rend());
      if (whole.front() != network.ranks[static_cast<std::size_t>(branch.from)] ||
          whole.back() != network.ranks[static_cast<std::size_t>(branch.to)])
        return fmt::format("the path from {} to {} has other ends", branch.from, branch.to);
      for (std::size_t i = 0; i + 1 < whole.size(); ++i)
        loads[{whole[i], whole[i + 1]}] += forest.rate * static_cast<double>(tree.count);
    }
  for (const auto& [ends, load] : loads) {
    const auto found = capacities.find(ends);
    if (found == capacities.end()) return fmt::format("no link from {} to {}", ends.first, ends.second);
    if (load > found->second * (1 + 1e-9))
      return fmt::format("{} of {} from {} to {}", load, found->second, ends.first, ends.second);
  }
  return "";
}

double best_of_a_root(const topo::Network& network, std::int32_t root) {
  topo::Bounds bounds(network);
  if (root >= 0) return 1 / bounds.of(Collective::broadcast, static_cast<std::uint32_t>(root)).time.value();
  return 1 / bounds.of(Collective::all_gather).time.value() / static_cast<double>(network.ranks.size());
}

}  // namespace railgauge::test
