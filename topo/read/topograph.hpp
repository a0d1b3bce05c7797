// NVIDIA topograph's models of clusters: switches, blocks of hosts, and the NVLink domains that they are in.
#pragma once

#include <string_view>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

// Of all versions of the schema: `blocks`, or `capacity_blocks` and `nodes`, as lists or by names.
[[nodiscard]] bool is_topograph_model(std::string_view text);

// Switches and hosts joined by LinkKind::tree, as Slurm's; each NVLink domain is a rack that holds its hosts, "domain:NAME", and
// one of its parts another inside, "domain:NAME/PART". Throws Error(usage) that names the line.
[[nodiscard]] Graph read_topograph_model(const Reading&);

}  // namespace railgauge::topo
