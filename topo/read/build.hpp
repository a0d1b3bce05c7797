// From evidence to graph: pure, the same for a live machine and for a recorded one.
#pragma once

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

// Throws Error(usage) that names the reading's origin, and the line where it is known.
[[nodiscard]] Graph build(const Evidence&);

// Of several sources that are not of one machine: each machine keeps its own name (merge.hpp, qualify), and NICs are joined with
// the fabric's by their GUIDs.
[[nodiscard]] Graph build(const std::vector<Evidence>&);

}  // namespace railgauge::topo
