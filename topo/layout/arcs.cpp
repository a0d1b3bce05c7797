#include "topo/layout/arcs.hpp"

#include <algorithm>
#include <utility>

namespace railgauge::topo::layout {

std::size_t place_arcs(std::vector<Arc>& arcs, const std::vector<Anchor>& anchors) {
  // Short ones first: the nearer neighbours stay near the cards.
  std::stable_sort(arcs.begin(), arcs.end(), [](const Arc& p, const Arc& q) { return p.b - p.a < q.b - q.a; });
  // The places of a GPU's lines along its edge: those to the left on the left, the farthest in the middle.
  std::vector<std::vector<std::pair<Arc*, bool>>> at(anchors.size());
  for (Arc& arc : arcs) {
    at[arc.a].emplace_back(&arc, true);
    at[arc.b].emplace_back(&arc, false);
  }
  for (std::size_t i = 0; i < at.size(); ++i) {
    std::stable_sort(at[i].begin(), at[i].end(), [&](const auto& p, const auto& q) {
      const auto other = [&](const auto& it) { return it.second ? it.first->b : it.first->a; };
      const bool p_left = !p.second;
      const bool q_left = !q.second;
      if (p_left != q_left) return p_left;
      return other(p) > other(q);
    });
    for (std::size_t k = 0; k < at[i].size(); ++k) {
      const double x = anchors[i].x + anchors[i].width * (static_cast<double>(k) + 1) / (static_cast<double>(at[i].size()) + 1);
      (at[i][k].second ? at[i][k].first->x1 : at[i][k].first->x2) = x;
    }
  }
  std::vector<std::vector<std::pair<double, double>>> tracks;
  for (Arc& arc : arcs) {
    const auto free = [&](const auto& track) {
      return std::all_of(track.begin(), track.end(),
                         [&](const auto& it) { return arc.x2 + 6 < it.first || it.second + 6 < arc.x1; });
    };
    const auto track = std::find_if(tracks.begin(), tracks.end(), free);
    arc.track = static_cast<std::size_t>(track - tracks.begin());
    if (track == tracks.end()) tracks.emplace_back();
    tracks[arc.track].emplace_back(arc.x1, arc.x2);
  }
  return tracks.size();
}

}  // namespace railgauge::topo::layout
