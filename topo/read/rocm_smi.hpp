// What rocm-smi prints of GPUs of AMD and the links between them.
#pragma once

#include <string_view>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

// Of --showtopo, its parts (--showtopoaccess, weight, hops, type, numa) and --shownodesbw, as text or with --json.
[[nodiscard]] bool is_rocm_smi(std::string_view text);

// The graph of amd_gpus.hpp. Throws Error(usage) "ORIGIN:LINE: ...", of JSON "ORIGIN: KEY: ...".
[[nodiscard]] Graph read_rocm_smi(const Reading&);

}  // namespace railgauge::topo
