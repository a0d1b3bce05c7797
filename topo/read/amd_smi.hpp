// What `amd-smi topology` prints of GPUs of AMD and the links between them.
#pragma once

#include <string_view>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

// As text, all tables or some of them, or with --json.
[[nodiscard]] bool is_amd_smi(std::string_view text);

// The graph of amd_gpus.hpp. In the tables GPUs are PCI addresses and get their numbers in the order of the first head. Throws
// Error(usage) "ORIGIN:LINE: ...", of JSON "ORIGIN: [3].links[1].weight: ...".
[[nodiscard]] Graph read_amd_smi(const Reading&);

}  // namespace railgauge::topo
