// Writes a layout as files for a browser. Draws boxes and edges where the layout put them.
#pragma once

#include <string>

#include "topo/graph.hpp"
#include "topo/layout/layout.hpp"
#include "topo/ratios.hpp"

namespace railgauge::topo {

// One SVG with title, legend and its own style, light or dark as the viewer prefers. Ends with a newline. Links in `ratios` are
// coloured by their ratio and labelled with it; a line for several links shows the lowest, and the highest of loads.
[[nodiscard]] std::string draw_svg(const Picture& picture, const Graph& graph, const Ratios& ratios = {},
                                   Shade shade = Shade::ratio);

// One self-contained HTML page that needs no network: the same drawing, which the reader can pan, zoom, search, filter and print,
// and the picture's tables below. "#find=NAME" at the end of the address starts a search. Ends with a newline.
[[nodiscard]] std::string draw_html(const Picture& picture, const Graph& graph, const Ratios& ratios = {},
                                    Shade shade = Shade::ratio);

}  // namespace railgauge::topo
