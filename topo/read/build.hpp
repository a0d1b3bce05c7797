// Builds a graph from evidence, live or recorded. Pure: reads nothing else.
#pragma once

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

// One machine or fabric. Throws Error(usage) that names the reading's origin, and the line when it is known.
[[nodiscard]] Graph build(const Evidence&);

// Of several sources. Those of one machine are told by its name; files that name none (nvidia-smi, NCCL, lspci) belong to the
// only machine there is, where no format is there twice. Of several machines each keeps its own name (merge.hpp, qualify), and
// NICs are joined with the fabric's by their GUIDs.
[[nodiscard]] Graph build(const std::vector<Evidence>&);

}  // namespace railgauge::topo
