// Maximum flow on whole numbers, which goes on from the residual of the flow before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace railgauge::topo {

// An edge has a residual capacity in each direction: what is pushed forward can be pushed back. Dinic's algorithm (1970): paths
// of the fewest edges first. Boost.Graph's algorithms begin anew with each call, since they want reverse edges without capacity;
// the tests compare with one of them.
class Flow {
 public:
  explicit Flow(std::uint32_t vertices) : out_(vertices), levels_(vertices), next_(vertices) {}

  // Gives the number of the edge, from 0 on.
  std::uint32_t add(std::uint32_t from, std::uint32_t to);
  void set(std::uint32_t edge, std::int64_t forward, std::int64_t back);

  // Pushes as much as can still go; gives how much that was. `from` differs from `to`.
  std::int64_t push(std::uint32_t from, std::uint32_t to);
  // For each vertex, whether anything can still go there from `from`.
  [[nodiscard]] std::vector<bool> reachable(std::uint32_t from) const;

 private:
  struct Half {  // 2i is the forward direction of edge i, 2i + 1 the other
    std::uint32_t to;
    std::int64_t left;
  };
  [[nodiscard]] bool find_levels(std::uint32_t from, std::uint32_t to);
  std::int64_t push_levels(std::uint32_t from, std::uint32_t to);

  std::vector<Half> halves_;
  std::vector<std::vector<std::uint32_t>> out_;  // places in halves_
  std::vector<std::uint32_t> levels_;            // edges from the source; none where it was not reached
  std::vector<std::size_t> next_;                // places in out_ from which on the search goes on
  std::vector<std::uint32_t> open_, path_;       // scratch
};

}  // namespace railgauge::topo
