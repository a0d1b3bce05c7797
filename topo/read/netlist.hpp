// Reads lists of an InfiniBand fabric's nodes and ports: the output of ibnetdiscover (also with -f and -g), ibsim's netlists, a
// superset of that format, and the report of `ibnetdiscover -p`. Writes netlists for ibsim.
#pragma once

#include <string>
#include <string_view>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

// Decided by the first lines that are neither empty nor comments.
[[nodiscard]] bool is_ibnetdiscover(std::string_view text);
[[nodiscard]] bool is_ibsim(std::string_view text);
[[nodiscard]] bool is_ibnetdiscover_ports(std::string_view text);

// Reads ibnetdiscover's and ibsim's lists. A link without ibsim's `w=`, `s=` and `e=` or ibnetdiscover's rate is 4x SDR, ibsim's
// default. Throws Error(usage) that names the line.
[[nodiscard]] Graph read_netlist(const Reading&);

// The report has GUIDs of ports only, so the key of an adapter is the GUID of its port. Throws Error(usage) that names the line.
[[nodiscard]] Graph read_ibnetdiscover_ports(const Reading&);

// A netlist for ibsim 0.10 and newer. Speeds beyond HDR, which 0.10 refuses, are written as HDR with a comment. Ends with a
// newline. Throws Error(usage) when the graph has no InfiniBand links.
[[nodiscard]] std::string to_ibsim(const Graph&);

}  // namespace railgauge::topo
