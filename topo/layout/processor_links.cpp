// Neighbours in a row are joined directly, frames of one column along their left edges, and others above both.
#include "topo/layout/processor_links.hpp"

namespace railgauge::topo::layout {
namespace {

constexpr double below_edge = 21;  // where the line leaves a frame, beside its title
constexpr double beside = 10;      // from the edges of the frames

}  // namespace

std::vector<Point> between_packages(const Box& a, const Box& b, double near) {
  const double y = a.at.y + below_edge;
  if (a.at.y == b.at.y && b.at.x - a.at.x - a.width < near) return {{a.at.x + a.width, y}, {b.at.x, y}};
  if (a.at.x == b.at.x) {
    const double x = a.at.x - beside;
    return {{a.at.x, y}, {x, y}, {x, b.at.y + below_edge}, {b.at.x, b.at.y + below_edge}};
  }
  const double from = a.at.x + a.width - 2 * beside;
  const double to = b.at.x + 2 * beside;
  return {{from, a.at.y}, {from, a.at.y - beside}, {to, b.at.y - beside}, {to, b.at.y}};
}

}  // namespace railgauge::topo::layout
