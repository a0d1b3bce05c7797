// Lists of an InfiniBand fabric's nodes and ports: what ibnetdiscover prints (also with -f and -g), ibsim's netlists, which are a
// superset of it, and the report of `ibnetdiscover -p`.
#pragma once

#include <string>
#include <string_view>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

// By the first lines that say something.
[[nodiscard]] bool is_ibnetdiscover(std::string_view text);
[[nodiscard]] bool is_ibsim(std::string_view text);
[[nodiscard]] bool is_ibnetdiscover_ports(std::string_view text);

// Of both. Without `w=`, `s=` and `e=` of ibsim, and without the words of ibnetdiscover, links are 4x SDR, as ibsim takes them.
// Throws Error(usage) that names the line.
[[nodiscard]] Graph read_netlist(const Reading&);

// The report has GUIDs of ports only: an adapter is known by the GUID of its port.
[[nodiscard]] Graph read_ibnetdiscover_ports(const Reading&);

// For ibsim 0.10 and newer: speeds beyond HDR, which 0.10 refuses, are written as HDR, and a comment says so. Ends in a newline.
// Throws Error(usage) when the graph has no InfiniBand links.
[[nodiscard]] std::string to_ibsim(const Graph&);

}  // namespace railgauge::topo
