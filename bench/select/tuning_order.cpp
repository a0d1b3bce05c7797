// Sorts points into groups, and the groups into turns.
#include "bench/select/tuning_order.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

namespace railgauge {
namespace {

// The smallest, the largest, and then what lies in the middle of the widest gap, counted in sizes.
std::vector<std::uint64_t> spread(const std::set<std::uint64_t>& sizes) {
  const std::vector<std::uint64_t> all(sizes.begin(), sizes.end());
  std::vector<std::uint64_t> order{all.front()};
  std::set<std::size_t> taken{0};
  if (all.size() > 1) {
    order.push_back(all.back());
    taken.insert(all.size() - 1);
  }
  while (order.size() < all.size()) {
    std::size_t begin = 0, widest = 0;
    for (auto place = taken.begin(); std::next(place) != taken.end(); ++place)
      if (const std::size_t gap = *std::next(place) - *place; gap > widest) {
        widest = gap;
        begin = *place;
      }
    const std::size_t middle = begin + widest / 2;
    taken.insert(middle);
    order.push_back(all[middle]);
  }
  return order;
}

}  // namespace

std::vector<Point> tuning_order(std::vector<Point> points, bool fair) {
  std::map<Collective, std::map<std::uint64_t, std::vector<Point>>> groups;
  for (Point& point : points) groups[point.spec.algorithm->collective][point.bytes].push_back(std::move(point));
  std::vector<Point> pass;
  const auto take = [&](const std::vector<Point>& group) { pass.insert(pass.end(), group.begin(), group.end()); };
  if (fair) {
    std::map<Collective, std::vector<std::uint64_t>> orders;
    std::size_t turns = 0;
    for (const auto& [collective, by_size] : groups) {
      std::set<std::uint64_t> sizes;
      for (const auto& [bytes, group] : by_size) sizes.insert(bytes);
      orders[collective] = spread(sizes);
      turns = std::max(turns, sizes.size());
    }
    for (std::size_t turn = 0; turn < turns; ++turn)
      for (const auto& [collective, order] : orders)
        if (turn < order.size()) take(groups[collective][order[turn]]);
  } else {
    for (const auto& [collective, by_size] : groups)
      for (const auto& [bytes, group] : by_size) take(group);
  }
  std::vector<Point> all;
  for (int number = 0; number < tuning_passes; ++number) all.insert(all.end(), pass.begin(), pass.end());
  return all;
}

}  // namespace railgauge
