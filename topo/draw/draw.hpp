// Draws a graph for people: as text, as a picture and as a page. Each result ends with a newline.
#pragma once

#include <string>

#include "topo/graph.hpp"
#include "topo/layout/layout.hpp"
#include "topo/ratios.hpp"

namespace railgauge::topo {

[[nodiscard]] std::string to_svg(const Graph&, const Diagnosis&, const Ratios& = {});
[[nodiscard]] std::string to_html(const Graph&, const Diagnosis&, const Ratios& = {});
[[nodiscard]] std::string to_text(const Graph&);  // a tree, about 100 columns wide at most

}  // namespace railgauge::topo
