// Parts of SVG that the picture and the page share.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topo/draw/picture.hpp"

namespace railgauge::topo {

// The style sheet's class of a kind: "kind-gpu", "link-pcie".
[[nodiscard]] std::string class_of(Kind);
[[nodiscard]] std::string class_of(LinkKind);

// For each edge the lowest ratio of its links, or the highest load; negative when none is known.
[[nodiscard]] std::vector<double> ratios_of(const Picture&, const Graph&, const Ratios&, Shade shade = Shade::ratio);
[[nodiscard]] std::string_view class_of_ratio(double ratio, const Scale& scale, Shade shade);  // "" when negative

// An entry of the legend: a class of colours, and what it says.
struct ShadeRow {
  std::string_view name, words;
};
[[nodiscard]] std::span<const ShadeRow> rows_of(Shade shade) noexcept;  // the best first

// The entries of the legend: kinds and marks that a picture uses.
struct Used {
  std::vector<Kind> kinds;
  std::vector<LinkKind> links;
  bool warning = false, low = false, ratios = false;
};
[[nodiscard]] Used used_in(const Picture&, const std::vector<double>& ratios);

// Boxes and edges, without the svg element around them. With `numbered`, each carries its place in the picture as data-b or
// data-e and the page shows its facts; otherwise the facts are its title.
[[nodiscard]] std::string draw_shapes(const Picture&, const std::vector<double>& ratios, bool numbered, const Scale& scale = {},
                                      Shade shade = Shade::ratio);

}  // namespace railgauge::topo
