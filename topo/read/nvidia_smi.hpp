// What people paste of nvidia-smi: `topo -m`, `topo -p2p r|w|n|a|p`, `nvlink -s` and `nvlink -R`, alone or one after the other.
#pragma once

#include <string_view>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

[[nodiscard]] bool is_nvidia_smi(std::string_view text);

// Cells of NVLinks become links of kind nvlink, other cells links of kind path whose attribute "path" is the word ("path_back"
// too where the table is not symmetric; "p2p_read" and the like for tables of -p2p), so that to_matrix() writes the table again.
// GPUs have the key "os:nvml0" of their number, or their PCI address where `nvlink -R` gives it away. A link whose far end nobody
// tells begins and ends at its GPU. Throws Error(usage) "ORIGIN:LINE: ...".
[[nodiscard]] Graph read_nvidia_smi(const Reading&);

}  // namespace railgauge::topo
