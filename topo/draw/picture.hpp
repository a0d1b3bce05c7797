// From a layout to files that a browser opens. Draws what stands there and moves nothing.
#pragma once

#include <string>

#include "topo/graph.hpp"
#include "topo/layout/layout.hpp"

namespace railgauge::topo {

// One SVG, with title, legend and its own style; light or dark as the viewer prefers. Ends with a newline. Links that are in
// `ratios` are coloured by it, and tell the number; a line that stands for several links shows the worst.
[[nodiscard]] std::string draw_svg(const Picture& picture, const Graph& graph, const Ratios& ratios = {});

// One HTML page that needs nothing else and no network: the same drawing, to be panned, zoomed, searched, filtered and printed,
// and the picture's tables below it. "#find=NAME" at the end of its address searches when it opens. Ends with a newline.
[[nodiscard]] std::string draw_html(const Picture& picture, const Graph& graph, const Ratios& ratios = {});

}  // namespace railgauge::topo
