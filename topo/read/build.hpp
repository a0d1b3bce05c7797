// Builds a graph from evidence, live or recorded. Pure: reads nothing else.
#pragma once

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

// One machine or fabric. Throws Error(usage) that names the reading's origin, and the line when it is known.
[[nodiscard]] Graph build(const Evidence&);

// Several machines or fabrics: qualify() of topo/merge.hpp keeps the keys of machines apart, and GUIDs identify NICs
// in the fabric.
[[nodiscard]] Graph build(const std::vector<Evidence>&);

}  // namespace railgauge::topo
