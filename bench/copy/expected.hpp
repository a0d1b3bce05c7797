// What the links of a machine allow a copy, for "% of expected".
#pragma once

#include <optional>
#include <string>

#include "bench/copy/places.hpp"
#include "reports/result.hpp"
#include "topo/graph.hpp"

namespace railgauge {

// GB/s in each direction, of the narrowest link on the path: NVLinks side by side count together. Nothing within a place, between
// nodes of the host, whose memory stands in no topology, and where the graph does not know an end or a bandwidth. `host` is this
// machine's name, for graphs of several.
[[nodiscard]] std::optional<Expectation> expected_copy(const topo::Graph& graph, const std::string& host, const CopyPlace& from,
                                                       const CopyPlace& to);

}  // namespace railgauge
