// Fewer rails, and fewer links up.
#pragma once

#include "topo/graph.hpp"

namespace railgauge::topo::edit {

// See rails= and oversubscribe= in edit.hpp. Both throw Error(usage).
[[nodiscard]] Graph keep_rails(Graph graph, unsigned rails);
[[nodiscard]] Graph oversubscribe(Graph graph, double ratio);

}  // namespace railgauge::topo::edit
