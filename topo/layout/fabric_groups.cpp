// Groups switches by their peers, blocks by their shape. Linear but for sorting.
#include "topo/layout/fabric_groups.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <unordered_map>

namespace railgauge::topo::layout {
namespace {

constexpr std::size_t most_groups = 24;  // of one tier in one block; more are grouped by their numbers of links alone
constexpr std::size_t most_odd = 12;     // switches of one tier and block that stand alone; more of them are one group
constexpr std::size_t most_single = 8;   // blocks that are drawn each; of more, equal ones are one
constexpr std::size_t most_blocks = 24;  // blocks of which those of one rail are one

class Grouper {
 public:
  explicit Grouper(const Fabric& fabric) : fabric_(fabric), roots_(fabric.switches.size()) {}

  Blocks group() {
    std::vector<std::vector<std::uint32_t>> parts = split();
    std::vector<Block> blocks;
    std::map<std::vector<std::uint64_t>, std::size_t> shapes;
    // Equal blocks join the first of them.
    for (std::vector<std::uint32_t>& part : parts) {
      Block block;
      block.rail = fabric_.switches[part.front()].rail;
      // Few blocks are drawn each; of many, those of a rail are one though they may differ in size.
      std::vector<std::uint64_t> shape;
      if (parts.size() > most_blocks)
        shape = {fabric_.switches[part.front()].rail};
      else if (parts.size() > most_single)
        shape = shape_of(part);
      else
        shape = {shapes.size()};
      for (const std::uint32_t it : part) {
        block.odd = block.odd || fabric_.odd(fabric_.switches[it]);
        if (fabric_.switches[it].rail != block.rail) block.rail = npos;
      }
      if (block.odd && parts.size() > 1 && odd_blocks_ < most_odd) {
        shape.push_back(++odd_blocks_);
      } else {
        shape.push_back(0);
      }
      const auto [at, fresh] = shapes.try_emplace(shape, blocks.size());
      if (fresh) {
        blocks.push_back(std::move(block));
        members_.push_back(std::move(part));
      } else {
        ++blocks[at->second].count;
        blocks[at->second].odd = blocks[at->second].odd || block.odd;
        members_[at->second].insert(members_[at->second].end(), part.begin(), part.end());
      }
    }
    Blocks all;
    all.of.assign(fabric_.switches.size(), {npos, 0});
    std::vector<std::size_t> order(blocks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) { return blocks[x].rail < blocks[y].rail; });
    // Lower tiers first: the groups of upper ones are told by those below them.
    for (const std::size_t it : order) {
      const auto number = static_cast<std::uint32_t>(all.blocks.size());
      fill(blocks[it], members_[it], number, all);
      all.blocks.push_back(std::move(blocks[it]));
    }
    fill(all.top, top_, npos, all);
    return all;
  }

 private:
  // Parts below the uppermost tier; the uppermost goes to top_.
  std::vector<std::vector<std::uint32_t>> split() {
    const unsigned top = fabric_.tiers > 1 ? fabric_.tiers : 2;
    std::iota(roots_.begin(), roots_.end(), 0U);
    if (fabric_.tiers > 2)
      for (std::uint32_t i = 0; i < fabric_.switches.size(); ++i)
        for (const Peer& peer : fabric_.switches[i].peers)
          if (fabric_.switches[i].tier < top && fabric_.switches[peer.other].tier < top) join(i, peer.other);
    std::map<std::uint32_t, std::size_t> places;
    std::vector<std::vector<std::uint32_t>> parts;
    for (std::uint32_t i = 0; i < fabric_.switches.size(); ++i) {
      if (fabric_.switches[i].tier >= top) {
        top_.push_back(i);
        continue;
      }
      const std::uint32_t name = fabric_.tiers > 2 ? root(i) : fabric_.switches[i].rail;
      const auto [at, fresh] = places.try_emplace(name, parts.size());
      if (fresh) parts.emplace_back();
      parts[at->second].push_back(i);
    }
    return parts;
  }

  std::uint32_t root(std::uint32_t i) {
    while (roots_[i] != i) i = roots_[i] = roots_[roots_[i]];
    return i;
  }
  void join(std::uint32_t a, std::uint32_t b) { roots_[std::max(root(a), root(b))] = std::min(root(a), root(b)); }

  // How many switches there are of each rail, tier and numbers of links up and down.
  std::vector<std::uint64_t> shape_of(const std::vector<std::uint32_t>& part) const {
    std::map<std::array<std::uint64_t, 5>, std::uint64_t> counts;
    for (const std::uint32_t it : part) {
      const Switch& one = fabric_.switches[it];
      std::uint64_t up = 0;
      std::uint64_t down = 0;
      for (const Peer& peer : one.peers) (fabric_.switches[peer.other].tier > one.tier ? up : down) += peer.count();
      ++counts[{one.rail, one.tier, fabric_.odd(one) ? 0 : one.hosts.size(), up, down}];
    }
    std::vector<std::uint64_t> shape;
    for (const auto& [key, count] : counts) {
      shape.insert(shape.end(), key.begin(), key.end());
      shape.push_back(count);
    }
    return shape;
  }

  using Sign = std::vector<std::uint64_t>;

  // Leaves by who their peers above are; others by the groups below them and the number of links above. `coarse`: numbers alone.
  Sign sign_of(std::uint32_t at, const Blocks& all, bool coarse) const {
    const Switch& one = fabric_.switches[at];
    Sign sign{one.rail, fabric_.odd(one) ? 0 : one.hosts.size()};
    std::uint64_t up = 0;
    std::uint64_t down = 0;
    std::uint64_t level = 0;
    std::map<std::uint64_t, std::uint64_t> below;
    for (const Peer& peer : one.peers) {
      const unsigned other = fabric_.switches[peer.other].tier;
      (other > one.tier ? up : other < one.tier ? down : level) += peer.count();
      if (coarse || other > one.tier) {
        if (!coarse && one.tier == 1) {
          sign.push_back(peer.other);
          sign.push_back(peer.count());
        }
      } else if (one.tier == 1 || other < one.tier) {
        // Not by groups: an odd switch below makes none odd above.
        below[one.tier == 1 ? std::uint64_t{peer.other} : (std::uint64_t{all.of[peer.other].first} << 32U) | other] +=
            peer.count();
      }
    }
    for (const auto& [key, count] : below) {
      sign.push_back(key);
      sign.push_back(count);
    }
    sign.insert(sign.end(), {up, down, level});
    return sign;
  }

  void fill(Block& block, const std::vector<std::uint32_t>& members, std::uint32_t number, Blocks& all) const {
    std::map<unsigned, std::vector<std::uint32_t>> tiers;
    for (const std::uint32_t it : members) tiers[fabric_.switches[it].tier].push_back(it);
    for (const auto& [tier, here] : tiers) {
      std::vector<Group> groups = grouped(here, all, block.count > 1);
      if (block.count > 1 && groups.size() > 1) groups = gathered(std::move(groups));
      if (groups.size() > most_groups) groups = grouped(here, all, true);
      for (Group& group : groups) {
        group.tier = tier;
        for (const std::uint32_t it : group.switches) {
          all.of[it] = {number, static_cast<std::uint32_t>(block.groups.size())};
          group.hosts += fabric_.switches[it].hosts.size();
        }
        block.groups.push_back(std::move(group));
      }
    }
  }

  // Of blocks that are one: the healthy switches of a tier are one group, whatever their number of links.
  static std::vector<Group> gathered(std::vector<Group> groups) {
    std::vector<Group> kept;
    std::size_t one = View::none;
    for (Group& group : groups) {
      if (group.odd || one == View::none) {
        if (!group.odd) one = kept.size();
        kept.push_back(std::move(group));
      } else {
        kept[one].switches.insert(kept[one].switches.end(), group.switches.begin(), group.switches.end());
      }
    }
    return kept;
  }

  std::vector<Group> grouped(const std::vector<std::uint32_t>& here, const Blocks& all, bool coarse) const {
    std::map<Sign, std::size_t> places;
    std::vector<Group> groups;
    std::size_t alone = 0;
    for (const std::uint32_t it : here) {
      Sign sign = sign_of(it, all, coarse);
      const bool odd = fabric_.odd(fabric_.switches[it]);
      if (odd) sign = {1, alone < most_odd ? ++alone : 0};
      sign.push_back(odd ? 1 : 0);
      const auto [at, fresh] = places.try_emplace(sign, groups.size());
      if (fresh) groups.emplace_back();
      Group& group = groups[at->second];
      group.switches.push_back(it);
      group.odd = odd;
    }
    for (Group& group : groups)
      std::stable_sort(group.switches.begin(), group.switches.end(), [&](std::uint32_t x, std::uint32_t y) {
        return natural_less(fabric_.node(fabric_.switches[x]).name, fabric_.node(fabric_.switches[y]).name);
      });
    std::stable_sort(groups.begin(), groups.end(), [&](const Group& x, const Group& y) {
      return natural_less(fabric_.node(fabric_.switches[x.switches.front()]).name,
                          fabric_.node(fabric_.switches[y.switches.front()]).name);
    });
    return groups;
  }

  const Fabric& fabric_;
  std::vector<std::uint32_t> roots_;
  std::vector<std::uint32_t> top_;
  std::vector<std::vector<std::uint32_t>> members_;
  std::size_t odd_blocks_ = 0;
};

}  // namespace

Blocks group(const Fabric& fabric) { return Grouper(fabric).group(); }

}  // namespace railgauge::topo::layout
