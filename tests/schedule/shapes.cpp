// The shapes behind tests/schedule/shapes.hpp.
#include "tests/schedule/shapes.hpp"

#include <algorithm>

namespace railgauge::test {

std::vector<std::int32_t> proof_ranks() {
  std::vector<std::int32_t> ranks;
  for (std::int32_t n = 2; n <= 33; ++n) ranks.push_back(n);
  ranks.insert(ranks.end(), {64, 127, 128});
  return ranks;
}

std::vector<Shape> shapes_of(const Algorithm& algorithm, std::int32_t ranks) {
  std::vector<std::int32_t> roots{0};
  if (row(algorithm.collective).rooted)
    for (const std::int32_t root : {1, ranks / 2, ranks - 1})
      if (root < ranks && std::find(roots.begin(), roots.end(), root) == roots.end()) roots.push_back(root);
  std::vector<Shape> shapes;
  for (const std::int32_t root : roots) {
    // An algorithm that serves all ranks on nodes of one has no use for nodes.
    const bool wants_nodes = algorithm.name == "hierarchical";
    for (std::int32_t per_node = 1; per_node <= (wants_nodes ? ranks : 1); ++per_node) {
      if (ranks % per_node != 0) continue;
      const Shape shape{ranks, 0, root, per_node};
      if (algorithm.refusal(shape).empty()) shapes.push_back(shape);
    }
  }
  return shapes;
}

std::vector<Schedule> build_all(const Algorithm& algorithm, Shape shape) {
  std::vector<Schedule> schedules;
  for (shape.rank = 0; shape.rank < shape.ranks; ++shape.rank) schedules.push_back(algorithm.build(shape));
  return schedules;
}

}  // namespace railgauge::test
