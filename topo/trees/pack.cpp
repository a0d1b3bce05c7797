// Takes trees that do not reach every rank yet, and adds to as many of them as can have it a branch to one more rank.
#include <algorithm>
#include <limits>
#include <stdexcept>

#include "topo/bound/flow.hpp"
#include "topo/trees/trees.hpp"

namespace railgauge::topo {
namespace {

class Packer {
 public:
  Packer(const Capacities& capacities, const Demand& demand)
      : demand_(demand), left_(static_cast<std::uint32_t>(demand.ranks.size())) {
    for (std::uint32_t a = 0; a < left_.vertices; ++a)
      for (std::uint32_t b = 0; b < left_.vertices; ++b) left_.at(a, b) = capacities.at(demand.ranks[a], demand.ranks[b]);
  }

  std::vector<OutTree> pack() {
    for (std::uint32_t rank = 0; rank < left_.vertices; ++rank) {
      if (demand_.roots[rank] == 0) continue;
      Growing it;
      it.tree.root = static_cast<std::int32_t>(rank);
      it.tree.count = demand_.roots[rank];
      it.depths.assign(left_.vertices, none);
      it.depths[rank] = 0;
      it.reached.push_back(rank);
      growing_.push_back(std::move(it));
    }
    std::vector<OutTree> done;
    while (!growing_.empty()) {
      if (growing_.back().reached.size() == left_.vertices) {
        done.push_back(std::move(growing_.back().tree));
        growing_.pop_back();
      } else {
        grow();
      }
    }
    std::stable_sort(done.begin(), done.end(), [](const OutTree& a, const OutTree& b) { return a.root < b.root; });
    return done;
  }

 private:
  static constexpr auto none = std::numeric_limits<std::uint32_t>::max();
  struct Growing {
    OutTree tree;
    std::vector<std::uint32_t> depths;   // of each rank; none where the tree is not yet
    std::vector<std::uint32_t> reached;  // in the order of their depths
  };

  // The last of the growing trees: the branch nearest to its root that some of them can have.
  void grow() {
    std::stable_sort(growing_.back().reached.begin(), growing_.back().reached.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return growing_.back().depths[a] < growing_.back().depths[b]; });
    const std::vector<std::uint32_t> reached = growing_.back().reached;
    for (const std::uint32_t from : reached)
      for (std::uint32_t step = 1; step < left_.vertices; ++step) {
        const std::uint32_t to = (from + step) % left_.vertices;
        if (growing_.back().depths[to] != none || left_.at(from, to) <= 0) continue;
        const std::int64_t amount = room(from, to);
        if (amount <= 0) continue;
        branch(from, to, amount);
        return;
      }
    throw std::logic_error("no branch can be added to a tree: the capacities do not suffice");
  }

  // How many of the last trees may take that branch, so that the others still find theirs (Berczi and Frank).
  std::int64_t room(std::uint32_t from, std::uint32_t to) const {
    const auto others = static_cast<std::uint32_t>(growing_.size() - 1);
    Flow flow(left_.vertices + others);
    std::int64_t all = 0;
    add_links(flow, left_);
    for (std::uint32_t i = 0; i < others; ++i) {
      const Growing& other = growing_[i];
      flow.set(flow.add(from, left_.vertices + i), other.tree.count, 0);
      for (const std::uint32_t vertex : other.reached) flow.set(flow.add(left_.vertices + i, vertex), other.tree.count, 0);
      all += other.tree.count;
    }
    const std::int64_t spare = flow.push(from, to) - all;
    return std::min({growing_.back().tree.count, left_.at(from, to), spare});
  }

  void branch(std::uint32_t from, std::uint32_t to, std::int64_t amount) {
    Growing it = growing_.back();
    if (amount < it.tree.count) {
      growing_.back().tree.count -= amount;
      it.tree.count = amount;
    } else {
      growing_.pop_back();
    }
    left_.at(from, to) -= amount;
    it.tree.branches.push_back({static_cast<std::int32_t>(from), static_cast<std::int32_t>(to), it.depths[from]});
    it.depths[to] = it.depths[from] + 1;
    it.reached.push_back(to);
    growing_.push_back(std::move(it));
  }

  const Demand& demand_;
  Capacities left_;
  std::vector<Growing> growing_;
};

}  // namespace

std::vector<OutTree> pack(const Capacities& capacities, const Demand& demand) { return Packer(capacities, demand).pack(); }

}  // namespace railgauge::topo
