// What iblinkinfo prints of an InfiniBand fabric: each port of each node, with its peer, also with -l and -p.
#pragma once

#include <string_view>

#include "topo/evidence/evidence.hpp"
#include "topo/graph.hpp"

namespace railgauge::topo {

[[nodiscard]] bool is_iblinkinfo(std::string_view text);

// GUIDs are those of ports: an adapter is known by that of its first port. Without -l the peer's GUID is not told: it is found by
// its LID and port, and where no subnet manager gave LIDs by its description. A peer that the file does not describe
// (--switches-only) has the key "lid:LID". `capable` is what "Could be" says, else what is active: iblinkinfo compares what both
// ends support. Throws Error(usage) that names the line.
[[nodiscard]] Graph read_iblinkinfo(const Reading&);

}  // namespace railgauge::topo
