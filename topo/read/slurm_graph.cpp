// The tree that Slurm can have of a graph's cables.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "topo/hostlist.hpp"
#include "topo/read/slurm.hpp"
#include "topo/read/slurm_copy.hpp"

namespace railgauge::topo {
namespace {

constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

class Groups {
 public:
  explicit Groups(std::size_t size) : above_(size) { std::iota(above_.begin(), above_.end(), std::size_t{0}); }
  std::size_t find(std::size_t at) {
    while (above_[at] != at) at = above_[at] = above_[above_[at]];
    return at;
  }
  void join(std::size_t a, std::size_t b) {
    a = find(a);
    b = find(b);
    above_[std::max(a, b)] = std::min(a, b);  // the first stands for all, so that names do not depend on the order of links
  }

 private:
  std::vector<std::size_t> above_;
};

class Tree {
 public:
  explicit Tree(const Graph& graph) : graph_(graph) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) places_.emplace(graph.nodes[i].key, i);
  }

  std::vector<SlurmTopology> make() {
    std::vector<SlurmTopology> all;
    if (std::any_of(graph_.links.begin(), graph_.links.end(), [](const Link& link) { return link.kind == LinkKind::tree; }))
      all = copy_slurm_topologies(graph_);
    else
      cut(all.emplace_back());
    SlurmTopology racks;
    add_racks(racks);
    if (all.size() == 1 && all.front().name.empty()) {
      SlurmTopology& only = all.front();
      std::move(racks.groups.begin(), racks.groups.end(), std::back_inserter(only.groups));
      if (only.block_sizes.empty()) only.block_sizes = racks.block_sizes;
    } else if (!racks.groups.empty()) {
      racks.name = "racks";
      while (std::any_of(all.begin(), all.end(), [&](const SlurmTopology& it) { return it.name == racks.name; }))
        racks.name += '-';
      all.push_back(std::move(racks));
    }
    if (std::all_of(all.begin(), all.end(), [](const SlurmTopology& it) { return it.groups.empty(); }))
      throw Error(Fault::usage, "Slurm's topology is made of switches or racks with named hosts below them, and here are none");
    return all;
  }

 private:
  // ---- what cables say
  struct Attached {
    std::size_t machine = none, leaf = none;
    std::string_view device;
  };

  // The node itself, or the first of this kind above it.
  std::size_t above(std::size_t at, Kind kind) const {
    for (std::size_t steps = 0; at != none && steps < 64; ++steps) {
      if (graph_.nodes[at].kind == kind) return at;
      const auto parent = places_.find(graph_.nodes[at].parent);
      at = parent == places_.end() ? none : parent->second;
    }
    return none;
  }

  static bool is_cable(const Link& link) {
    return (link.kind == LinkKind::infiniband || link.kind == LinkKind::ethernet) && link.state != LinkState::down &&
           link.state != LinkState::disabled;
  }

  void collect() {
    for (const Link& link : graph_.links) {
      const auto a = places_.find(link.a);
      const auto b = places_.find(link.b);
      if (!is_cable(link) || a == places_.end() || b == places_.end()) continue;
      const bool a_is_switch = graph_.nodes[a->second].kind == Kind::fabric_switch;
      const bool b_is_switch = graph_.nodes[b->second].kind == Kind::fabric_switch;
      if (a_is_switch && b_is_switch) {
        trunks_.emplace_back(a->second, b->second);
      } else if (a_is_switch != b_is_switch) {
        const std::size_t end = a_is_switch ? b->second : a->second;
        const std::size_t machine = above(end, Kind::machine);
        const std::size_t nic = above(end, Kind::nic);
        if (machine == none || nic == none || slurm_host(graph_.nodes[machine]).empty()) continue;
        const Node& device = graph_.nodes[nic];
        const std::string_view name = text_of(device.attributes, "device");
        attached_.push_back({machine, a_is_switch ? a->second : b->second, name.empty() ? std::string_view(device.key) : name});
      }
    }
    std::sort(attached_.begin(), attached_.end(), [](const Attached& a, const Attached& b) {
      if (a.machine != b.machine) return a.machine < b.machine;
      if (a.device != b.device) return natural_less(a.device, b.device);
      return a.leaf < b.leaf;
    });
  }

  // Hops from the nearest leaf; the largest.
  std::size_t measure_tiers() {
    tiers_.assign(graph_.nodes.size(), none);
    std::vector<std::vector<std::size_t>> next(graph_.nodes.size());
    for (const auto& [a, b] : trunks_) {
      next[a].push_back(b);
      next[b].push_back(a);
    }
    std::deque<std::size_t> open;
    for (const Attached& it : attached_)
      if (std::exchange(tiers_[it.leaf], 0) != 0) open.push_back(it.leaf);
    std::size_t most = 0;
    for (; !open.empty(); open.pop_front())
      for (const std::size_t at : next[open.front()])
        if (tiers_[at] == none) {
          most = tiers_[at] = tiers_[open.front()] + 1;
          open.push_back(at);
        }
    return most;
  }

  // Each host in one fabric only: the one with most hosts.
  void choose_fabrics() {
    Groups fabrics(graph_.nodes.size());
    for (const auto& [a, b] : trunks_) fabrics.join(a, b);
    std::map<std::size_t, std::set<std::size_t>> hosts;
    for (const Attached& it : attached_) hosts[fabrics.find(it.leaf)].insert(it.machine);
    std::unordered_map<std::size_t, std::size_t> chosen;
    for (const Attached& it : attached_) {
      const std::size_t fabric = fabrics.find(it.leaf);
      const auto [best, fresh] = chosen.try_emplace(it.machine, fabric);
      if (fresh || hosts[fabric].size() <= hosts[best->second].size()) continue;
      best->second = fabric;
    }
    std::erase_if(attached_, [&](const Attached& it) { return chosen.at(it.machine) != fabrics.find(it.leaf); });
  }

  // The leaf that stands for all leaves of the same hosts: the one that most hosts of a leaf have at their first adapter.
  // Of 8 rails that is the leaf of the first, and one host that is cabled wrongly moves nobody else.
  void find_homes() {
    std::unordered_map<std::size_t, std::size_t> first;  // of a machine
    for (const Attached& it : attached_) first.try_emplace(it.machine, it.leaf);
    std::map<std::size_t, std::map<std::size_t, std::size_t>> votes;
    for (const Attached& it : attached_) ++votes[it.leaf][first.at(it.machine)];
    for (const auto& [leaf, of] : votes)
      homes_[leaf] =
          std::max_element(of.begin(), of.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first;
    for (const auto& [machine, leaf] : first) hosts_[homes_.at(leaf)].push_back(slurm_host(graph_.nodes[machine]));
  }

  void cut(SlurmTopology& topology) {
    collect();
    choose_fabrics();
    const std::size_t most = measure_tiers();
    find_homes();
    Groups groups(graph_.nodes.size());
    for (const auto& [leaf, home] : homes_) groups.join(leaf, home);
    std::map<std::size_t, std::size_t> below;  // what stands for a group, to its place in the topology
    add_leaves(topology, groups, below);
    // Trunks within the leaves belong to the first tier above.
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> trunks(most + 2);
    for (const auto& [a, b] : trunks_)
      if (tiers_[a] != none) trunks[std::max({std::size_t{1}, tiers_[a], tiers_[b]})].emplace_back(a, b);
    std::vector<std::vector<std::size_t>> switches(most + 2);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i)
      if (tiers_[i] != none) switches[tiers_[i]].push_back(i);
    for (std::size_t tier = 1; tier < trunks.size(); ++tier) {
      for (const auto& [a, b] : trunks[tier]) groups.join(a, b);
      below = add_tier(topology, groups, below, switches[tier], tier);
    }
    std::reverse(topology.groups.begin(), topology.groups.end());
    for (SlurmGroup& group : topology.groups) {
      std::sort(group.nodes.begin(), group.nodes.end(), natural_less);
      std::sort(group.children.begin(), group.children.end(), natural_less);
    }
  }

  void add_leaves(SlurmTopology& topology, Groups& groups, std::map<std::size_t, std::size_t>& below) {
    std::map<std::size_t, std::vector<std::string>> merged;
    std::map<std::size_t, std::size_t> first;  // a switch that has hosts, of each group
    for (const auto& [leaf, home] : homes_) {
      merged[groups.find(leaf)].push_back(graph_.nodes[leaf].name);
      if (hosts_.contains(home)) first.try_emplace(groups.find(leaf), home);
    }
    for (const auto& [group, leaves] : merged) {
      SlurmGroup leaf;
      leaf.name = names_.take(graph_.nodes[first.contains(group) ? first.at(group) : group].name);
      if (leaves.size() > 1) leaf.remark = fmt::format("{} leaves, {}", leaves.size(), compress_hostlist(leaves));
      for (const auto& [home, hosts] : hosts_)
        if (groups.find(home) == group) leaf.nodes.insert(leaf.nodes.end(), hosts.begin(), hosts.end());
      if (leaf.nodes.empty()) continue;
      below.emplace(group, topology.groups.size());
      topology.groups.push_back(std::move(leaf));
    }
  }

  // One Slurm switch for each group that joins several of the tier below.
  std::map<std::size_t, std::size_t> add_tier(SlurmTopology& topology, Groups& groups,
                                              const std::map<std::size_t, std::size_t>& below,
                                              const std::vector<std::size_t>& switches, std::size_t tier) {
    std::map<std::size_t, std::vector<std::size_t>> children;
    for (const auto& [group, place] : below) children[groups.find(group)].push_back(place);
    std::map<std::size_t, std::vector<std::string>> own;
    for (const std::size_t at : switches) own[groups.find(at)].push_back(graph_.nodes[at].name);
    std::map<std::size_t, std::size_t> here;
    std::size_t number = 0;
    for (const auto& [group, places] : children) {
      here[group] = places.front();
      if (places.size() == 1) continue;
      const std::vector<std::string>& names = own[group];
      SlurmGroup merged;
      merged.name = names_.take(names.size() == 1 ? names.front() : fmt::format("tier{}-{}", tier + 1, ++number));
      if (names.size() > 1) merged.remark = fmt::format("{} switches, {}", names.size(), compress_hostlist(names));
      for (const std::size_t place : places) merged.children.push_back(topology.groups[place].name);
      here[group] = topology.groups.size();
      topology.groups.push_back(std::move(merged));
    }
    return here;
  }

  // ---- racks
  void add_racks(SlurmTopology& topology) {
    std::map<std::size_t, std::vector<std::string>> racks;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (graph_.nodes[i].kind != Kind::machine) continue;
      const std::size_t rack = above(i, Kind::rack);
      if (std::string host = slurm_host(graph_.nodes[i]); rack != none && !host.empty()) racks[rack].push_back(std::move(host));
    }
    std::size_t least = none;
    for (auto& [rack, hosts] : racks) {
      SlurmGroup group;
      group.kind = SlurmKind::block;
      group.name = names_.take(graph_.nodes[rack].name);
      std::sort(hosts.begin(), hosts.end(), natural_less);
      group.nodes = hosts;
      least = std::min(least, hosts.size());
      topology.groups.push_back(std::move(group));
    }
    if (topology.block_sizes.empty() && !racks.empty()) topology.block_sizes = {least};
  }

  const Graph& graph_;
  std::unordered_map<std::string_view, std::size_t> places_;
  std::vector<std::pair<std::size_t, std::size_t>> trunks_;  // between switches
  std::vector<Attached> attached_;
  std::vector<std::size_t> tiers_;
  std::map<std::size_t, std::size_t> homes_;
  std::map<std::size_t, std::vector<std::string>> hosts_;  // of homes
  SlurmNames names_;
};

}  // namespace

std::vector<SlurmTopology> slurm_topologies(const Graph& graph) { return Tree(graph).make(); }

const SlurmTopology& slurm_topology(const std::vector<SlurmTopology>& all) {
  const auto tree = [](const SlurmTopology& it) {
    return std::any_of(it.groups.begin(), it.groups.end(),
                       [](const auto& group) { return group.kind == SlurmKind::tree_switch; });
  };
  auto chosen = std::find_if(all.begin(), all.end(), [&](const SlurmTopology& it) { return it.is_default && tree(it); });
  if (chosen == all.end()) chosen = std::find_if(all.begin(), all.end(), tree);
  if (chosen == all.end()) chosen = std::find_if(all.begin(), all.end(), [](const auto& it) { return !it.groups.empty(); });
  return *chosen;
}

}  // namespace railgauge::topo
