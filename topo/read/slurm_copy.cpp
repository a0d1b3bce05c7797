#include "topo/read/slurm_copy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <unordered_map>
#include <utility>

#include "topo/scan.hpp"

namespace railgauge::topo {
namespace {

constexpr std::size_t longest_name = 64;  // that Slurm takes for a switch

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

// In the order of the file, those without groups too.
std::vector<SlurmTopology> told_topologies(const Graph& graph) {
  std::vector<SlurmTopology> all;
  for (const Node& node : graph.nodes)
    for (const std::string& line : list_of(node.attributes, "slurm_topologies")) {
      Scan scan(line);
      SlurmTopology& it = all.emplace_back();
      it.flat = scan.word() == "flat";
      it.is_default = scan.word() == "default";
      it.name = scan.blanks().rest();
    }
  return all;
}

std::size_t named(std::vector<SlurmTopology>& all, std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const SlurmTopology& it) { return it.name == name; });
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  all.emplace_back().name = name;
  return all.size() - 1;
}

SlurmGroup group_of(const Node& node, std::string_view word) {
  SlurmGroup group;
  group.kind = word == "block" ? SlurmKind::block : word == "ring" ? SlurmKind::ring : SlurmKind::tree_switch;
  group.link_speed = text_of(node.attributes, "link_speed");
  return group;
}

}  // namespace

std::string SlurmNames::take(std::string_view wish) {
  std::string name;
  for (const char c : wish.substr(0, longest_name)) name += is_plain(c) ? c : '_';
  if (name.empty()) name = "switch";
  std::string chosen = name;
  for (unsigned n = 2; !taken_.insert(chosen).second; ++n)
    chosen = fmt::format("{}-{}", std::string_view(name).substr(0, longest_name - 8), n);
  return chosen;
}

std::string slurm_host(const Node& machine) {
  const std::string_view name = text_of(machine.attributes, "host_name");
  return std::all_of(name.begin(), name.end(), is_plain) ? std::string(name) : std::string();
}

std::vector<SlurmTopology> copy_slurm_topologies(const Graph& graph) {
  std::vector<SlurmTopology> all = told_topologies(graph);
  struct Place {
    std::size_t topology, group;
  };
  std::unordered_map<std::string_view, Place> places;  // of groups
  std::unordered_map<std::string_view, const Node*> nodes;
  std::unordered_map<std::string, SlurmNames> names;  // of each topology
  for (const Node& node : graph.nodes) {
    nodes.emplace(node.key, &node);
    const std::string_view word = text_of(node.attributes, "slurm");
    if (word.empty()) continue;
    const std::size_t place = named(all, text_of(node.attributes, "topology"));
    SlurmTopology& topology = all[place];
    SlurmGroup group = group_of(node, word);
    group.name = names[topology.name].take(node.name);
    if (topology.block_sizes.empty())
      for (const std::string& size : list_of(node.attributes, "block_sizes"))
        topology.block_sizes.push_back(std::strtoull(size.c_str(), nullptr, 10));
    places.emplace(node.key, Place{place, topology.groups.size()});
    topology.groups.push_back(std::move(group));
  }
  for (const Link& link : graph.links) {
    const auto above = places.find(link.b);
    const auto below = nodes.find(link.a);
    if (link.kind != LinkKind::tree || above == places.end() || below == nodes.end()) continue;
    SlurmTopology& topology = all[above->second.topology];
    SlurmGroup& group = topology.groups[above->second.group];
    if (const auto child = places.find(link.a); child != places.end() && child->second.topology == above->second.topology)
      group.children.push_back(topology.groups[child->second.group].name);
    else if (std::string host = slurm_host(*below->second); !host.empty())
      group.nodes.push_back(std::move(host));
  }
  return all;
}

}  // namespace railgauge::topo
