// Which colour a line has, and what the legend says of it.
#include <algorithm>

#include "topo/draw/svg.hpp"

namespace railgauge::topo {

std::span<const ShadeRow> rows_of(Shade shade) noexcept {
  static constexpr ShadeRow ratios[] = {{"ratio-good", "measured: 90 % of expected or more"},
                                        {"ratio-fair", "75 to 90 %"},
                                        {"ratio-poor", "50 to 75 %"},
                                        {"ratio-bad", "below 50 %"}};
  static constexpr ShadeRow loads[] = {{"ratio-good", "busy: less than 50 % of the time"},
                                       {"ratio-fair", "50 to 75 %"},
                                       {"ratio-poor", "75 to 90 %"},
                                       {"ratio-bad", "90 % or more"}};
  return shade == Shade::load ? std::span<const ShadeRow>(loads) : std::span<const ShadeRow>(ratios);
}

std::string_view class_of_ratio(double ratio, const Scale& scale, Shade shade) {
  if (ratio < 0) return {};
  if (shade == Shade::load)
    return ratio >= scale.good   ? "ratio-bad"
           : ratio >= scale.fair ? "ratio-poor"
           : ratio >= scale.poor ? "ratio-fair"
                                 : "ratio-good";
  return ratio >= scale.good   ? "ratio-good"
         : ratio >= scale.fair ? "ratio-fair"
         : ratio >= scale.poor ? "ratio-poor"
                               : "ratio-bad";
}

std::vector<double> ratios_of(const Picture& picture, const Graph& graph, const Ratios& ratios, Shade shade) {
  std::vector<double> all(picture.edges.size(), -1);
  if (ratios.empty()) return all;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (const std::uint32_t at : picture.edges[i].links) {
      if (at >= graph.links.size()) continue;
      const auto found = ratios.find(link_key(graph.links[at]));
      if (found == ratios.end()) continue;
      const bool tells_more = shade == Shade::load ? found->second > all[i] : found->second < all[i];
      if (all[i] < 0 || tells_more) all[i] = std::max(0.0, found->second);
    }
  return all;
}

}  // namespace railgauge::topo
