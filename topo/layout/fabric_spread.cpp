// Ends of edges along the sides of boxes, and the curves between them.
#include <algorithm>
#include <array>
#include <map>

#include "topo/layout/fabric_groups.hpp"

namespace railgauge::topo::layout {

void spread_edges(Picture& picture, const std::vector<Pending>& pending) {
  struct EdgeEnd {
    double toward;
    std::size_t number;
  };
  std::map<std::size_t, std::vector<EdgeEnd>> above, below;
  const auto centre = [&](std::size_t box) { return picture.boxes[box].at.x + picture.boxes[box].width / 2; };
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const bool level = picture.boxes[pending[i].lower].at.y == picture.boxes[pending[i].upper].at.y;
    above[pending[i].lower].push_back({centre(pending[i].upper), i});
    (level ? above : below)[pending[i].upper].push_back({centre(pending[i].lower), i});
  }
  std::vector<std::array<double, 2>> x(pending.size());
  const auto assign = [&](auto& ends) {
    for (auto& [box, list] : ends) {
      std::stable_sort(list.begin(), list.end(), [](const EdgeEnd& p, const EdgeEnd& q) { return p.toward < q.toward; });
      const double step = std::min(14.0, picture.boxes[box].width * 0.84 / static_cast<double>(list.size()));
      for (std::size_t k = 0; k < list.size(); ++k) {
        const double at = centre(box) + step * (static_cast<double>(k) - (static_cast<double>(list.size()) - 1) / 2);
        x[list[k].number][pending[list[k].number].lower == box ? 0 : 1] = at;
      }
    }
  };
  assign(above);
  assign(below);
  for (std::size_t i = 0; i < pending.size(); ++i) {
    Edge& edge = picture.edges[pending[i].edge];
    const Box& lower = picture.boxes[pending[i].lower];
    const Box& upper = picture.boxes[pending[i].upper];
    const double y1 = lower.at.y;
    const bool level = lower.at.y == upper.at.y;
    const double y2 = level ? upper.at.y : upper.at.y + upper.height;
    const double mid = level ? y1 - 40 : (y1 + y2) / 2;
    // Steep at the lower end, where titles of frames stand.
    const double low = level ? mid : y1 + (y2 - y1) * 0.8;
    edge.bends = {{x[i][0], y1}, {x[i][0], low}, {x[i][1], mid}, {x[i][1], y2}};
    // Nearer to the odd end, where fewer edges meet.
    const double t = lower.warning || !upper.warning ? 0.22 : 0.78;
    const double s = 1 - t;
    edge.label_at = {s * s * s * x[i][0] + 3 * s * s * t * x[i][0] + 3 * s * t * t * x[i][1] + t * t * t * x[i][1],
                     s * s * s * y1 + 3 * s * s * t * low + 3 * s * t * t * mid + t * t * t * y2 + 3};
    edge.label_centred = true;
  }
  // Wrong ones are drawn last, above the others.
  std::stable_partition(picture.edges.begin(), picture.edges.end(), [](const Edge& it) { return !it.warning; });
}

}  // namespace railgauge::topo::layout
