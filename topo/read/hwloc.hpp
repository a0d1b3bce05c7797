// Reads hwloc XML, versions 1 to 3.
#pragma once

#include <string_view>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

// Whether the root element is hwloc's, also in a truncated file.
[[nodiscard]] bool is_hwloc(std::string_view text);

// The graph of a machine. Throws Error(usage) "ORIGIN:LINE: ..." for XML that is not well-formed, has another version, or holds
// numbers that are impossible for a machine.
[[nodiscard]] Graph read_hwloc(const Reading& reading);

// The checks that read_hwloc() makes before it builds the graph; throws the same errors.
void check_hwloc_xml(std::string_view text, std::string_view origin);

}  // namespace railgauge::topo
