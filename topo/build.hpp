// From evidence to graph: pure, the same for a live machine and for a recorded one.
#pragma once

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

// Throws Error(usage) that names the reading's origin, and the line where it is known.
[[nodiscard]] Graph build(const Evidence&);

}  // namespace railgauge::topo
