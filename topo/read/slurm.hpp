// Reads and writes Slurm's topology.conf and topology.yaml: trees of switches, blocks and rings of hosts, without cables.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

enum class SlurmKind : std::uint8_t { tree_switch, block, ring };

struct SlurmGroup {
  SlurmKind kind = SlurmKind::tree_switch;
  std::string name;
  std::vector<std::string> children;  // names of switches
  std::vector<std::string> nodes;     // names of hosts
  std::string link_speed;             // Slurm ignores it
  std::string remark;                 // a comment for it
  std::size_t line = 0;
};

// One topology of topology.yaml, or all of topology.conf.
struct SlurmTopology {
  std::string name;
  std::vector<SlurmGroup> groups;
  std::vector<std::uint64_t> block_sizes;
};

[[nodiscard]] bool is_slurm_conf(std::string_view text);
[[nodiscard]] bool is_slurm_yaml(std::string_view text);
[[nodiscard]] Graph read_slurm_conf(const Reading&);
[[nodiscard]] Graph read_slurm_yaml(const Reading&);

// Hosts become machines; switches, blocks and rings become Kind::fabric_switch with "slurm" "switch", "block" or "ring", joined
// by LinkKind::tree. Throws Error(usage) for a name that is undefined, defined twice, or above itself.
[[nodiscard]] Graph to_graph(const std::vector<SlurmTopology>& topologies, const Reading& from);

// The tree and the blocks of a graph. A tree from Slurm stays unchanged. Cables become a tree: leaves with the same hosts are one
// switch, and connected switches above them are merged tier by tier, because a fat tree with many spines is no tree. Each host is
// below one switch of its largest fabric; fabrics share no switch. Racks (Kind::rack) with machines are blocks. Throws
// Error(usage) when the graph has neither.
[[nodiscard]] SlurmTopology slurm_topology(const Graph& graph);

// topology.conf holds one kind of topology: the tree if there is one, else blocks. Both functions throw as slurm_topology() does.
[[nodiscard]] std::string to_slurm_conf(const Graph& graph);
[[nodiscard]] std::string to_slurm_yaml(const Graph& graph);

}  // namespace railgauge::topo
