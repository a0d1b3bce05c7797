// What was measured of links, by their names.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "topo/graph.hpp"

namespace railgauge::topo {

// Measured over expected bandwidth, by link_key(); 1 is as expected.
using Ratios = std::map<std::string, double, std::less<>>;

// What the numbers of a picture's links are: measured over expected, of which little is bad, or the share of the time in which a
// link is busy, of which much is a bottleneck.
enum class Shade : std::uint8_t { ratio, load };

// From which ratio on a link is good, fair or poor; below that it is bad.
struct Scale {
  double good = 0.9, fair = 0.75, poor = 0.5;
};

// The key of a link in Ratios: "A - B pcie", with ":PORT" after an end with a port number, the smaller end first.
[[nodiscard]] std::string link_key(const Link&);

}  // namespace railgauge::topo
