// Graphs of cable plans: they know names and ports only, and of a built fabric they are compared with nothing else.
#pragma once

#include <cstddef>
#include <functional>

#include "topo/view.hpp"

namespace railgauge::topo {

// Whether all of the graph was read from a cable plan.
[[nodiscard]] bool is_plan(const Graph&);

// Calls pair(node of the plan, node of the fabric) for what has one name in both: switches and machines, whatever the case of
// letters and with or without a domain, adapters of a machine, and ports of an adapter by their numbers. An adapter of the plan
// with a "position" is the port at that place among all of the machine's, in the order of the adapters' names.
void match_plan(const View& plan, const View& fabric, const std::function<void(std::size_t, std::size_t)>& pair);

}  // namespace railgauge::topo
