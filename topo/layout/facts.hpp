// What is known of a node or a link, as names and values for people.
#pragma once

#include <string>
#include <vector>

#include "topo/graph.hpp"
#include "topo/layout/layout.hpp"

namespace railgauge::topo {

[[nodiscard]] std::vector<Fact> facts_of(const Node&);
[[nodiscard]] std::vector<Fact> facts_of(const Link&);

// "Gen5 x16" of PCIe, "4x NDR" of InfiniBand, "4 x 25 Gb/s" of others; what is known of it; empty when nothing is.
[[nodiscard]] std::string rate_words(LinkKind, const Rate&);

// 1 (thin) to 6, by the bandwidth.
[[nodiscard]] double weight_of(double gigabytes_per_second);

}  // namespace railgauge::topo
