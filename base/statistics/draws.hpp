// Random numbers that are the same on every machine and with every standard library, so that a verdict is reproducible.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace railgauge::compare {

// SplitMix64: G. Steele, D. Lea, C. Flood, Fast splittable pseudorandom number generators, OOPSLA 2014.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  [[nodiscard]] std::uint64_t next() noexcept;
  [[nodiscard]] double uniform() noexcept;                      // in (0, 1), neither end
  [[nodiscard]] std::size_t below(std::size_t count) noexcept;  // in [0, count); count is at least 1
  [[nodiscard]] double normal() noexcept;                       // mean 0, standard deviation 1

 private:
  std::uint64_t state_;
  std::optional<double> spare_;  // normal numbers come in twos
};

// Fisher and Yates.
template <class Value>
void shuffle(std::span<Value> values, Draws& draws) {
  for (std::size_t left = values.size(); left > 1; --left) std::swap(values[left - 1], values[draws.below(left)]);
}

}  // namespace railgauge::compare
