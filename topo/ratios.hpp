// What was measured of links, by their names.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "topo/graph.hpp"

namespace railgauge::topo {

// Measured over expected bandwidth, by link_key(); 1 is as expected.
using Ratios = std::map<std::string, double, std::less<>>;

// From which ratio on a link is good, fair or poor; below that it is bad.
struct Scale {
  double good = 0.9, fair = 0.75, poor = 0.5;
};

// The key of a link in Ratios: "A - B pcie", with ":PORT" after an end with a port number, the smaller end first.
[[nodiscard]] std::string link_key(const Link&);

}  // namespace railgauge::topo
