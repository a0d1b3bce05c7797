// Words and facts of switches and links in a tiered fabric.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "topo/layout/fabric.hpp"

namespace railgauge::topo::layout {

// "3 leaves", "1 spine"; of a fabric of one tier "3 switches".
[[nodiscard]] std::string tier_words(unsigned tier, unsigned tiers, std::uint64_t count);

// Links to switches of higher and of lower tiers.
[[nodiscard]] std::size_t links_up(const Fabric& fabric, const Switch& it);
[[nodiscard]] std::size_t links_down(const Fabric& fabric, const Switch& it);

// Of one link all that is known; of several, how many there are at which rate, and which are wrong. `links`: places in
// Graph::links, at least one.
[[nodiscard]] std::vector<Fact> rates_of_links(const Fabric& fabric, const std::vector<std::uint32_t>& links);

// ": down"; empty where there are no words.
[[nodiscard]] std::string after_colon(const std::string& words);

// "down", "4x HDR of 4x NDR", "4x NDR and 4x HDR" where the ends disagree; empty where no rate is known.
[[nodiscard]] std::string words_of_wrong(const Link& link);

}  // namespace railgauge::topo::layout
