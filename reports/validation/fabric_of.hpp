// The fabric of a validation as topo/layout takes it: a graph of what is known, and findings for what stands out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "reports/validation/validation.hpp"
#include "topo/finding.hpp"
#include "topo/graph.hpp"
#include "topo/ratios.hpp"

namespace railgauge::validation {

struct KnownFabric {
  topo::Graph graph;  // all of its names are shown()
  topo::Diagnosis diagnosis;
  topo::Ratios low;                  // shares of what is usual, of links that are below low_share
  std::vector<std::uint32_t> links;  // of each link of the graph its place in Map::links
  std::vector<std::string> apart;    // hosts that stand out, and hang on no switch that is known
};

// Links that name no switch or host of the validation are left out.
[[nodiscard]] KnownFabric fabric_of(const Validation& validation);

[[nodiscard]] bool is_low(const MapLink& link);

// "n3:mlx5_1/1 - leaf1 port 4, 94.9 % of usual". The link is one of fabric_of().
[[nodiscard]] std::string words_of(const Map& map, const MapLink& link);

}  // namespace railgauge::validation
