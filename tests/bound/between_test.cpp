// Edges on simple paths between chosen vertices, against a search of all simple paths.
#include "topo/network/between.hpp"

#include <random>
#include <vector>

#include "tests/test.hpp"

using railgauge::topo::edges_between;
using railgauge::topo::UndirectedEdge;

namespace {

class AllPaths {
 public:
  AllPaths(std::uint32_t vertices, const std::vector<UndirectedEdge>& edges, const std::vector<std::uint32_t>& chosen)
      : edges_(edges), chosen_(vertices), seen_(vertices), used_(edges.size()) {
    for (const std::uint32_t vertex : chosen) chosen_[vertex] = true;
    for (const std::uint32_t vertex : chosen) walk(vertex, vertex);
  }
  [[nodiscard]] const std::vector<bool>& used() const { return used_; }

 private:
  void walk(std::uint32_t start, std::uint32_t at) {
    seen_[at] = true;
    if (at != start && chosen_[at])
      for (const std::size_t edge : path_) used_[edge] = true;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      if (edges_[i].a != at && edges_[i].b != at) continue;
      const std::uint32_t next = edges_[i].a == at ? edges_[i].b : edges_[i].a;
      if (seen_[next]) continue;
      path_.push_back(i);
      walk(start, next);
      path_.pop_back();
    }
    seen_[at] = false;
  }

  const std::vector<UndirectedEdge>& edges_;
  std::vector<bool> chosen_, seen_, used_;
  std::vector<std::size_t> path_;
};

}  // namespace

TEST_CASE("edges between: those on a simple path between two chosen vertices, as a search of all paths finds them") {
  constexpr unsigned seed = 4026;
  std::mt19937 random(seed);
  for (int round = 0; round < 400; ++round) {
    const auto vertices = static_cast<std::uint32_t>(2 + random() % 7);
    std::vector<UndirectedEdge> edges;
    for (auto n = random() % 11; n > 0; --n) {
      const auto a = static_cast<std::uint32_t>(random() % vertices);
      const auto b = static_cast<std::uint32_t>(random() % vertices);
      if (a != b) edges.push_back({a, b});
    }
    std::vector<std::uint32_t> chosen;
    for (std::uint32_t vertex = 0; vertex < vertices; ++vertex)
      if (random() % 3 == 0) chosen.push_back(vertex);
    INFO("seed " << seed << ", round " << round);
    CHECK(edges_between(vertices, edges, chosen) == AllPaths(vertices, edges, chosen).used());
  }
}
