// Draws the hosts that differ from their group.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "topo/layout/fabric_groups.hpp"

namespace railgauge::topo::layout {

// Gives the place of the box with the hosts of a leaf; `leaf` is a place in Fabric::switches.
using StripOf = std::function<std::optional<std::size_t>(std::uint32_t leaf)>;

// Adds these hosts below the present boxes, each with all its links. Increases the height of the picture, and `width` (pixels)
// when they need more. Adds edges that spread_edges() must place to `pending`.
void add_odd_hosts(Picture& picture, const Fabric& fabric, const StripOf& strip_of, std::vector<Pending>& pending, double& width);

}  // namespace railgauge::topo::layout
