#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "topo/layout/fabric_groups.hpp"

namespace railgauge::topo::layout {

// The box that has the hosts of a leaf, which is a place in Fabric::switches.
using StripOf = std::function<std::optional<std::size_t>(std::uint32_t leaf)>;

// Hosts that differ from their group, below all that is drawn, each with its links, the wrong ones among them. Grows the picture,
// and `width` where they need more. Edges whose ends are to be spread are added to `pending`.
void add_odd_hosts(Picture& picture, const Fabric& fabric, const StripOf& strip_of, std::vector<Pending>& pending, double& width);

}  // namespace railgauge::topo::layout
