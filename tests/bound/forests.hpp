// Checks of packed trees that know nothing of how they were found.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "topo/network/network.hpp"
#include "topo/trees/trees.hpp"

namespace railgauge::test {

// Empty, or what is wrong with a tree.
[[nodiscard]] std::string wrong_with(const topo::OutTree& tree, std::size_t ranks);

// Empty, or what is wrong with the paths of the branches: each goes along links from its rank to a switch and on to the other
// rank, and together they ask no link for more than it carries.
[[nodiscard]] std::string wrong_with_paths(const topo::Network& network, const topo::Forest& forest);

// Megabytes a second that each root can send to all at best; root -1: every rank.
[[nodiscard]] double best_of_a_root(const topo::Network& network, std::int32_t root);

}  // namespace railgauge::test
