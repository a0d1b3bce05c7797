// Groups of curves, and the sizes that they have in common.
#include "reports/web/variants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace railgauge::web {
namespace {

bool have_a_size_in_common(const std::vector<Curve*>& curves) {
  std::set<std::uint64_t> seen;
  for (const Curve* curve : curves) {
    std::set<std::uint64_t> sizes;
    for (const Point& point : curve->points) sizes.insert(point.bytes);
    const std::size_t before = seen.size();
    const std::size_t more = sizes.size();
    seen.merge(sizes);
    if (seen.size() != before + more) return true;
  }
  return false;
}

// Into the first of them; the others are empty then.
void join(const std::vector<Curve*>& curves) {
  Curve& first = *curves.front();
  const bool one_algorithm =
      std::all_of(curves.begin(), curves.end(), [&](const Curve* it) { return it->algorithm == first.algorithm; });
  for (Curve* curve : curves) {
    if (curve == &first) continue;
    for (Point& point : curve->points) {
      point.variant = first.variants.size();
      first.points.push_back(std::move(point));
    }
    first.variants.push_back(curve->variants.front());
    curve->points.clear();
  }
  first.name = one_algorithm ? fmt::format("{} over {}, path by size", first.algorithm, first.transport)
                             : fmt::format("{}, algorithm by size", first.transport);
}

}  // namespace

void join_variants(std::vector<Curve>& curves) {
  std::map<std::tuple<std::size_t, std::string, std::size_t>, std::vector<Curve*>> groups;
  for (Curve& curve : curves) groups[{curve.family, curve.transport, curve.source}].push_back(&curve);
  for (const auto& [key, group] : groups)
    if (group.size() > 1 && !have_a_size_in_common(group)) join(group);
  std::erase_if(curves, [](const Curve& curve) { return curve.points.empty(); });
}

}  // namespace railgauge::web
