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
  bool is_default = false;  // of the cluster
  bool flat = false;        // all hosts are alike: there are no groups
};

[[nodiscard]] bool is_slurm_conf(std::string_view text);
[[nodiscard]] bool is_slurm_yaml(std::string_view text);
[[nodiscard]] Graph read_slurm_conf(const Reading&);
[[nodiscard]] Graph read_slurm_yaml(const Reading&);

// Hosts are machines, switches, blocks and rings are Kind::fabric_switch with "slurm" "switch", "block" or "ring", joined by
// LinkKind::tree. The first has "slurm_topologies": of each topology its kind, "default" or "other", and its name. Throws
// Error(usage) for names that are not described, described twice, or above themselves.
[[nodiscard]] Graph to_graph(const std::vector<SlurmTopology>& topologies, const Reading& from);

// What Slurm gave stays as it is: its topologies with their names, the flat one too, in their order. Of cables a tree is made:
// leaves that serve the same hosts are one switch, and all that is above them and joined is merged tier by tier, because a fat
// tree with many spines is no tree. Each host is below one switch, of the largest fabric it is on; fabrics share no switch. Racks
// (Kind::rack) that hold machines are blocks. Throws Error(usage) when there is neither.
[[nodiscard]] std::vector<SlurmTopology> slurm_topologies(const Graph& graph);

// Of slurm_topologies() the one that topology.conf can hold: the cluster's default where it is a tree, else the first with a
// tree, else the first with groups.
[[nodiscard]] const SlurmTopology& slurm_topology(const std::vector<SlurmTopology>& all);

// topology.conf holds one kind of topology: the tree if there is one, else blocks. Both functions throw as slurm_topologies()
// does.
[[nodiscard]] std::string to_slurm_conf(const Graph& graph);
[[nodiscard]] std::string to_slurm_yaml(const Graph& graph);

}  // namespace railgauge::topo
