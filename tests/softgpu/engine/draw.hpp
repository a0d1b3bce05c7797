// Numbers drawn from a seed, by which everything is ordered that CUDA leaves open.
#pragma once

#include <cstdint>

#include "tests/softgpu/machine/grid.hpp"

namespace softgpu {

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  // 0 to count - 1.
  std::uint64_t below(std::uint64_t count) { return random_() % count; }
  bool one_in(std::uint64_t count) { return below(count) == 0; }
  [[nodiscard]] Random& random() { return random_; }

 private:
  Random random_;
};

}  // namespace softgpu
