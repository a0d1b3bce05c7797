// The pieces of SVG that the picture and the page share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topo/draw/picture.hpp"

namespace railgauge::topo {

// The style sheet's words for kinds: "kind-gpu", "link-pcie".
[[nodiscard]] std::string class_of(Kind);
[[nodiscard]] std::string class_of(LinkKind);

// Of each edge: the worst ratio of its links; negative when none is known.
[[nodiscard]] std::vector<double> ratios_of(const Picture&, const Graph&, const Ratios&);
[[nodiscard]] std::string_view class_of_ratio(double ratio);  // "" when negative

struct Used {
  std::vector<Kind> kinds;
  std::vector<LinkKind> links;
  bool warning = false, low = false, ratios = false;
};
[[nodiscard]] Used used_in(const Picture&, const std::vector<double>& ratios);

// Boxes and edges, without the svg element around them. With `numbered`, each has its place in the picture as data-b or data-e,
// and the facts are left to the page; else they are its title.
[[nodiscard]] std::string draw_shapes(const Picture&, const std::vector<double>& ratios, bool numbered);

}  // namespace railgauge::topo
