// Reads pasted output of nvidia-smi: `topo -m`, `topo -p2p r|w|n|a|p`, `nvlink -s` and `nvlink -R`, alone or one after the other.
#pragma once

#include <string_view>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

[[nodiscard]] bool is_nvidia_smi(std::string_view text);

// Cells of NVLinks become links of kind nvlink, other cells links of kind path whose attribute "path" is the word ("path_back"
// too where the table is not symmetric; "p2p_read" and the like for tables of -p2p), so that to_matrix() writes the table again.
// The key of a GPU is "os:nvml0" with its number, or its PCI address when `nvlink -R` shows it. A link with an unknown far end
// begins and ends at its GPU. Throws Error(usage) "ORIGIN:LINE: ...".
[[nodiscard]] Graph read_nvidia_smi(const Reading&);

}  // namespace railgauge::topo
