// How ranks are numbered over nodes.
#include "bench/group/nodes.hpp"

#include "tests/test.hpp"

namespace railgauge {
namespace {

class Numbered final : public Group {
 public:
  explicit Numbered(std::vector<std::string> nodes) : Group(0, std::move(nodes)) {}
  std::vector<Blob> allgather(const Blob& /*mine*/) override { return {}; }
  void barrier() override {}
  std::vector<Blob> exchange(std::span<const int> /*peers*/, std::span<const Blob> /*blobs*/) override { return {}; }
  std::unique_ptr<Group> split(int /*colour*/) override { return nullptr; }
  void check() const override {}
};

}  // namespace

TEST_CASE("nodes: hierarchical algorithms see nodes only where their ranks follow one another") {
  const struct {
    std::vector<std::string> nodes;
    int even, in_turn;
  } rows[] = {{{"a"}, 1, 1},
              {{"a", "a"}, 2, 2},
              {{"a", "a", "b", "b"}, 2, 2},
              {{"b", "b", "b", "a", "a", "a"}, 3, 3},
              {{"a", "b", "a", "b"}, 2, 1},
              {{"a", "b", "b", "a"}, 2, 1},
              {{"a", "a", "b", "a", "b", "b"}, 3, 1},
              {{"a", "a", "b"}, 1, 1}};
  for (const auto& row : rows) {
    CHECK(even_ranks_per_node(Numbered(row.nodes)) == row.even);
    CHECK(ranks_per_node_in_turn(Numbered(row.nodes)) == row.in_turn);
  }
}

}  // namespace railgauge
