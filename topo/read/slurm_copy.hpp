// What a graph holds of Slurm's own topologies, as they were.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "topo/graph.hpp"
#include "topo/read/slurm.hpp"

namespace railgauge::topo {

// Names that Slurm takes, each once.
class SlurmNames {
 public:
  [[nodiscard]] std::string take(std::string_view wish);

 private:
  std::unordered_set<std::string> taken_;
};

// What Slurm would call this machine; empty when nobody said.
[[nodiscard]] std::string slurm_host(const Node& machine);

[[nodiscard]] std::vector<SlurmTopology> copy_slurm_topologies(const Graph& graph);

}  // namespace railgauge::topo
