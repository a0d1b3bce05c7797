// Nodes of a graph in groups that are joined one by one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace railgauge::topo {

class Groups {
 public:
  explicit Groups(std::size_t nodes) : tops_(nodes) { std::iota(tops_.begin(), tops_.end(), std::size_t{0}); }
  // The first node of its group: parents come before children.
  [[nodiscard]] std::size_t top(std::size_t node) {
    while (tops_[node] != node) node = tops_[node] = tops_[tops_[node]];
    return node;
  }
  void join(std::size_t a, std::size_t b) {
    a = top(a);
    b = top(b);
    tops_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::size_t> tops_;
};

}  // namespace railgauge::topo
