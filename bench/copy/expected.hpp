// The bandwidth that the links of a machine allow a copy, for "% of expected".
#pragma once

#include <optional>
#include <string>

#include "bench/copy/places.hpp"
#include "reports/result.hpp"
#include "topo/graph.hpp"

namespace railgauge {

// The bandwidth of the bottleneck of the path, in GB/s in each direction; parallel NVLinks count together. Nothing within a
// place, between NUMA nodes of the host (no topology has the bandwidth of memory), and where the graph does not have an end or a
// bandwidth. `host` is this machine's name, for graphs of several machines.
[[nodiscard]] std::optional<Expectation> expected_copy(const topo::Graph& graph, const std::string& host, const CopyPlace& from,
                                                       const CopyPlace& to);

}  // namespace railgauge
