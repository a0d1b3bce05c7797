// Parts of SVG that the picture and the page share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "topo/draw/picture.hpp"

namespace railgauge::topo {

// The style sheet's class of a kind: "kind-gpu", "link-pcie".
[[nodiscard]] std::string class_of(Kind);
[[nodiscard]] std::string class_of(LinkKind);

// For each edge the lowest ratio of its links; negative when none is known.
[[nodiscard]] std::vector<double> ratios_of(const Picture&, const Graph&, const Ratios&);
[[nodiscard]] std::string_view class_of_ratio(double ratio, const Scale& scale);  // "" when negative

// The entries of the legend: kinds and marks that a picture uses.
struct Used {
  std::vector<Kind> kinds;
  std::vector<LinkKind> links;
  bool warning = false, low = false, ratios = false;
};
[[nodiscard]] Used used_in(const Picture&, const std::vector<double>& ratios);

// Boxes and edges, without the svg element around them. With `numbered`, each carries its place in the picture as data-b or
// data-e and the page shows its facts; otherwise the facts are its title.
[[nodiscard]] std::string draw_shapes(const Picture&, const std::vector<double>& ratios, bool numbered, const Scale& scale = {});

}  // namespace railgauge::topo
