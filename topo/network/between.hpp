// Which edges of an undirected graph lie on a simple path between two of some chosen vertices.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace railgauge::topo {

struct UndirectedEdge {
  std::uint32_t a = 0, b = 0;  // a differs from b
};

// For each edge. Linear: by the tree of biconnected components, from which leaves without a chosen vertex are taken.
[[nodiscard]] std::vector<bool> edges_between(std::uint32_t vertices, std::span<const UndirectedEdge> edges,
                                              std::span<const std::uint32_t> chosen);

}  // namespace railgauge::topo
