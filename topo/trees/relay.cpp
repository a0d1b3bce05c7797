// Two leaves of two machines, two GPUs each, a tree of root 0: the branch to the other leaf first, then each machine once, then
// the GPUs of each machine.
//
//        spine            0 -> 4 (spine), 0 -> 2 (leaf), 4 -> 6 (leaf),
//       /     \           0 -> 1, 2 -> 3, 4 -> 5, 6 -> 7 (NVSwitches)
//    leaf     leaf
//   /   \     /   \       Who passes a tree on to other groups changes from tree to tree: who has most left.
//  0,1  2,3  4,5  6,7
#include "topo/trees/relay.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace railgauge::topo {
namespace {

constexpr double plenty = 4;  // capacity for so many times as many trees as are to come is as good as more

std::int64_t sum(const Halves& halves, const HalfCapacities& capacities, std::uint32_t flip) {
  std::int64_t sum = 0;
  for (const std::uint32_t half : halves) sum += capacities[half ^ flip];
  return sum;
}

std::int64_t trees_in(const Group& group, const Demand& demand) {
  std::int64_t trees = 0;
  for (const std::int32_t rank : group.ranks) trees += demand.roots[static_cast<std::size_t>(rank)];
  return trees;
}

// The group that each half leaves last; none of most.
std::vector<std::uint32_t> owners_of(const Tiers& tiers, std::size_t halves) {
  std::vector<std::uint32_t> owners(halves, Group::none);
  for (std::uint32_t i = 0; i < tiers.groups.size(); ++i)
    for (const std::uint32_t half : tiers.groups[i].leaving) owners[half] = i;
  return owners;
}

// How often trees may leave each group: as often as its links have it, and where they leave by the links of its children (hosts
// below a leaf), as often as these are not needed to reach all children.
std::vector<std::int64_t> budgets_of(const Tiers& tiers, const std::vector<std::uint32_t>& owners,
                                     const HalfCapacities& capacities, std::int64_t trees) {
  std::vector<std::int64_t> budgets;
  for (const Group& group : tiers.groups) {
    std::int64_t budget = sum(group.leaving, capacities, 0);
    bool by_children = false;
    for (const auto& climbs : group.exits)
      for (const std::uint32_t climb : climbs)
        for (const std::uint32_t half : tiers.climbs[climb].halves)
          by_children = by_children || std::binary_search(group.children.begin(), group.children.end(), owners[half]);
    if (by_children) {
      std::int64_t there = -static_cast<std::int64_t>(group.children.size() - 1) * trees;
      for (const std::uint32_t child : group.children) there += budgets[child];
      budget = std::min(budget, there);
    }
    budgets.push_back(budget);
  }
  return budgets;
}

class Relays {
 public:
  Relays(const Tiers& tiers, const HalfCapacities& capacities, const Demand& demand, double weight_of_depth)
      : tiers_(tiers),
        demand_(demand),
        weight_of_depth_(weight_of_depth),
        left_(capacities),
        owner_(owners_of(tiers, capacities.size())),
        all_(demand.all()),
        spare_(budgets_of(tiers, owner_, capacities, all_)),
        given_(spare_) {
    for (const std::int64_t capacity : capacities) portions_.push_back(capacity > 0 ? 1 / static_cast<double>(capacity) : 0);
    for (const Group& group : tiers.groups) reserved_.push_back(group.parent == Group::none ? 0 : trees_in(group, demand));
    depths_.resize(demand.ranks.size());
  }

  std::vector<OutTree> trees() {
    const auto ranks = static_cast<std::int64_t>(demand_.ranks.size());
    std::int64_t step = ranks * 618 / 1000 + 1;  // far from the last, and in the end each rank
    while (std::gcd(step, ranks) != 1) ++step;
    std::vector<std::int64_t> more = demand_.roots;
    std::vector<OutTree> done;
    done.reserve(static_cast<std::size_t>(all_));
    for (std::int64_t at = 0; built_ < all_; at = (at + step) % ranks) {
      if (more[static_cast<std::size_t>(at)]-- <= 0) continue;
      if (!grow(static_cast<std::int32_t>(at))) return {};
      done.push_back(std::move(tree_));
      ++built_;
    }
    std::stable_sort(done.begin(), done.end(), [](const OutTree& a, const OutTree& b) { return a.root < b.root; });
    return done;
  }

 private:
  static constexpr auto none = std::numeric_limits<std::uint32_t>::max();
  static constexpr auto unbound = std::numeric_limits<std::int64_t>::max();

  enum class Thrift { pace, reserve, nothing };

  bool grow(std::int32_t root) {
    pace_ = static_cast<double>(all_) / static_cast<double>(all_ - built_);
    tree_ = {};
    tree_.root = root;
    tree_.branches.reserve(demand_.ranks.size() - 1);
    std::fill(depths_.begin(), depths_.end(), none);
    depths_[static_cast<std::size_t>(root)] = 0;
    for (auto group = static_cast<std::uint32_t>(root); group != Group::none; group = tiers_.groups[group].parent)
      --reserved_[group];
    return fill(static_cast<std::uint32_t>(tiers_.groups.size() - 1), root);
  }

  // From a rank that is reached to all others of a group.
  bool fill(std::uint32_t number, std::int32_t entry) {
    const std::vector<std::uint32_t>& children = tiers_.groups[number].children;
    if (children.empty()) return true;
    auto first = static_cast<std::uint32_t>(entry);
    while (tiers_.groups[first].parent != number) first = tiers_.groups[first].parent;
    if (!fill(first, entry)) return false;
    std::vector<std::uint32_t> reached{first}, open;
    for (const std::uint32_t child : children)
      if (child != first) open.push_back(child);
    // What has most to give is reached first: it passes the tree on.
    std::stable_sort(open.begin(), open.end(), [&](std::uint32_t a, std::uint32_t b) { return share_left(a) < share_left(b); });
    for (const Thrift thrift : {Thrift::pace, Thrift::reserve, Thrift::nothing}) {
      thrift_ = thrift;
      for (std::size_t i = 0; i < reached.size() && !open.empty(); ++i) {
        std::int64_t most = may_give(reached[i], thrift);
        if (i == 0 && reached.size() == 1) most = std::max<std::int64_t>(most, 1);
        if (!pass_on(number, most, i, thrift, reached, open)) return false;
      }
    }
    return open.empty();
  }

  bool pass_on(std::uint32_t number, std::int64_t most, std::size_t place, Thrift thrift, std::vector<std::uint32_t>& reached,
               std::vector<std::uint32_t>& open) {
    for (std::size_t k = open.size(); k-- > 0 && most > 0;) {
      const std::uint32_t to = open[k];
      thrift_ = thrift;  // groups inside of others have had theirs
      const std::int32_t entry = branch(number, reached[place], to);
      if (entry < 0) continue;
      if (!fill(to, entry)) return false;
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(k));
      reached.push_back(to);
      --most;
    }
    return true;
  }

  [[nodiscard]] double share_left(std::uint32_t group) const {
    return given_[group] == 0 ? 0 : static_cast<double>(spare_[group]) / static_cast<double>(given_[group]);
  }

  // How often a group may pass this tree on: so that as many trees as are to come find as much, and that each of those that
  // begin in it can leave.
  [[nodiscard]] std::int64_t may_give(std::uint32_t group, Thrift thrift) const {
    if (thrift == Thrift::nothing) return unbound;
    const std::int64_t free = spare_[group] - reserved_[group];
    if (thrift == Thrift::reserve) return free;
    const auto siblings = static_cast<std::int64_t>(tiers_.groups[tiers_.groups[group].parent].children.size());
    const std::int64_t later = given_[group] * (all_ - built_ - 1) / all_;
    return std::min(free, spare_[group] - later + siblings);
  }

  struct Choice {
    double score = -1;
    std::uint32_t climb = none;
  };

  // Of a group to the i-th switch of its parent: the path with most left, of those that lead from near the root.
  [[nodiscard]] Choice best(std::uint32_t group, std::size_t i, std::uint32_t flip) const {
    Choice best;
    best.score = -std::numeric_limits<double>::infinity();
    for (const std::uint32_t climb : tiers_.groups[group].exits[i]) {
      const Climb& it = tiers_.climbs[climb];
      double least = plenty;
      for (const std::uint32_t half : it.halves) {
        const std::uint32_t owner = owner_[half];
        if (owner != Group::none && owner != group) {  // a group in the group: it needs exits to spread what enters it
          if (thrift_ != Thrift::nothing && spare_[owner] <= reserved_[owner]) least = 0;
          if (flip != 0) least = std::min(least, share_left(owner) * pace_);
        }
        least = std::min(least, static_cast<double>(left_[half ^ flip]) * portions_[half ^ flip] * pace_);
      }
      if (least <= 0) continue;
      if (flip == 0) least -= weight_of_depth_ * depths_[static_cast<std::size_t>(it.rank)];
      if (least > best.score) best = {least, climb};
    }
    return best;
  }

  // The rank at which the tree enters `to`, or -1.
  std::int32_t branch(std::uint32_t parent, std::uint32_t from, std::uint32_t to) {
    Choice up, down;
    double most = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < tiers_.groups[parent].switches.size(); ++i) {
      const Choice here = best(from, i, 0);
      if (here.climb == none) continue;
      const Choice there = best(to, i, 1);
      if (there.climb == none || here.score + there.score <= most) continue;
      most = here.score + there.score;
      up = here;
      down = there;
    }
    if (up.climb == none) return -1;
    for (const std::uint32_t half : tiers_.climbs[up.climb].halves) use(half);
    for (const std::uint32_t half : tiers_.climbs[down.climb].halves) use(half ^ 1U);
    const std::int32_t sender = tiers_.climbs[up.climb].rank;
    const std::int32_t receiver = tiers_.climbs[down.climb].rank;
    const std::uint32_t depth = depths_[static_cast<std::size_t>(sender)];
    depths_[static_cast<std::size_t>(receiver)] = depth + 1;
    tree_.branches.push_back({sender, receiver, depth, up.climb, down.climb});
    return receiver;
  }

  void use(std::uint32_t half) {
    --left_[half];
    if (owner_[half] != Group::none) --spare_[owner_[half]];
  }

  const Tiers& tiers_;
  const Demand& demand_;
  double weight_of_depth_;
  HalfCapacities left_;
  std::vector<double> portions_;             // one tree's, of the capacity of each half
  std::vector<std::uint32_t> owner_;         // the group that a half leaves last
  std::vector<std::int64_t> reserved_;       // trees that will begin in each group
  std::int64_t all_, built_ = 0;             // trees
  std::vector<std::int64_t> spare_, given_;  // of each group: branches that can still leave it, and could at first
  double pace_ = 1;                          // all trees for each one to come: what is left is compared with the need of these
  Thrift thrift_ = Thrift::pace;             // with which branches are sought
  OutTree tree_;                             // that grows
  std::vector<std::uint32_t> depths_;        // of each rank in it
};

}  // namespace

HalfCapacities scaled_halves(const Wires& wires, std::uint64_t parts_of_megabyte, std::uint64_t rate) {
  HalfCapacities capacities;
  for (const Wire& wire : wires.edges) {
    capacities.push_back(static_cast<std::int64_t>(wire.forward * parts_of_megabyte / rate));
    capacities.push_back(static_cast<std::int64_t>(wire.back * parts_of_megabyte / rate));
  }
  return capacities;
}

bool may_relay(const Tiers& tiers, const HalfCapacities& capacities, const Demand& demand) {
  const std::int64_t all = demand.all();
  const std::vector<std::int64_t> budgets = budgets_of(tiers, owners_of(tiers, capacities.size()), capacities, all);
  return std::all_of(tiers.groups.begin(), tiers.groups.end(), [&](const Group& group) {
    if (group.parent == Group::none) return true;
    const std::int64_t inside = trees_in(group, demand);
    if (budgets[static_cast<std::size_t>(&group - tiers.groups.data())] < inside) return false;
    if (!group.children.empty()) return sum(group.leaving, capacities, 1) >= all - inside;
    Halves first;  // a rank may be entered from the switches of any group that it is in
    for (const Group* at = &group; at->parent != Group::none; at = &tiers.groups[at->parent])
      for (const auto& climbs : at->exits)
        for (const std::uint32_t climb : climbs)
          if (tiers.climbs[climb].rank == group.ranks.front()) first.push_back(tiers.climbs[climb].halves.front());
    std::sort(first.begin(), first.end());
    first.erase(std::unique(first.begin(), first.end()), first.end());
    return sum(first, capacities, 1) >= all - inside;
  });
}

std::vector<OutTree> relay(const Tiers& tiers, const HalfCapacities& capacities, const Demand& demand, double weight_of_depth) {
  return Relays(tiers, capacities, demand, weight_of_depth).trees();
}

}  // namespace railgauge::topo
