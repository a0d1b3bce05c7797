// The generator behind base/statistics/draws.hpp.
#include "base/statistics/draws.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace railgauge::compare {

std::uint64_t Draws::next() noexcept {
  state_ += 0x9e3779b97f4a7c15ULL;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebULL;
  return mixed ^ (mixed >> 31U);
}

double Draws::uniform() noexcept { return (static_cast<double>(next() >> 12U) + 0.5) * 0x1p-52; }

std::size_t Draws::below(std::size_t count) noexcept {
  return std::min(static_cast<std::size_t>(uniform() * static_cast<double>(count)), count - 1);
}

// G. Marsaglia, T. Bray, A convenient method for generating normal variables, SIAM Review 6, 1964: a point in the unit disc.
double Draws::normal() noexcept {
  if (spare_) return *std::exchange(spare_, std::nullopt);
  double a = 0, b = 0, square = 0;
  while (!(square > 0 && square < 1)) {
    a = 2 * uniform() - 1;
    b = 2 * uniform() - 1;
    square = a * a + b * b;
  }
  const double scale = std::sqrt(-2 * std::log(square) / square);
  spare_ = b * scale;
  return a * scale;
}

}  // namespace railgauge::compare
