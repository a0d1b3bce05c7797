// Reads hwloc XML, versions 1 to 3.
#pragma once

#include <string_view>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

// Whether the outermost element is hwloc's, or would be if the file were whole.
[[nodiscard]] bool is_hwloc(std::string_view text);

// The machine of `reading`. Throws Error(usage) "ORIGIN:LINE: ..." for what is not well-formed, is of another version, or has
// numbers that no machine has.
[[nodiscard]] Graph read_hwloc(const Reading& reading);

// What read_hwloc checks before it makes anything.
void check_hwloc_xml(std::string_view text, std::string_view origin);

}  // namespace railgauge::topo
