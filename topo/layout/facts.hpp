// The known properties of a node or a link, as names and values for people.
#pragma once

#include <string>
#include <vector>

#include "topo/graph.hpp"
#include "topo/layout/layout.hpp"

namespace railgauge::topo {

[[nodiscard]] std::vector<Fact> facts_of(const Node&);
[[nodiscard]] std::vector<Fact> facts_of(const Link&);

// "Gen5 x16" for PCIe, "4x NDR" for InfiniBand, "4 x 25 Gb/s" for others; only the known part, empty when the rate is unknown.
[[nodiscard]] std::string rate_words(LinkKind, const Rate&);

// The width of a line, from 1 to 6, which grows with the bandwidth.
[[nodiscard]] double weight_of(double gigabytes_per_second);

}  // namespace railgauge::topo
