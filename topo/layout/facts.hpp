// The known properties of a node or a link, as names and values for people.
#pragma once

#include <string>
#include <vector>

#include "topo/finding.hpp"
#include "topo/graph.hpp"
#include "topo/layout/layout.hpp"

namespace railgauge::topo {

[[nodiscard]] std::vector<Fact> facts_of(const Node&);
[[nodiscard]] std::vector<Fact> facts_of(const Link&);
// A finding, by its severity: "port 3 of switch leaf1 to mlx5_0/1 of node7: the link runs at 1x NDR; expected 4x".
[[nodiscard]] Fact fact_of(const Finding&);

// "Gen5 x16" for PCIe, "4x NDR" for InfiniBand, "4 x 25 Gb/s" for others; only the known part, empty when the rate is unknown.
[[nodiscard]] std::string rate_words(LinkKind, const Rate&);

// The width of a line, from 1 to 6, which grows with the bandwidth.
[[nodiscard]] double weight_of(double gigabytes_per_second);

}  // namespace railgauge::topo
