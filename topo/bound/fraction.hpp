// Fractions of whole numbers, compared exactly.
#pragma once

#include <cstdint>
#include <numeric>

namespace railgauge::topo {

// NOLINTNEXTLINE(modernize-use-using): g++ takes __extension__ before no alias.
__extension__ typedef unsigned __int128 Wide;  // a product of two 64-bit numbers

struct Fraction {
  std::uint64_t numerator = 0, denominator = 1;  // without a common factor
  [[nodiscard]] double value() const { return static_cast<double>(numerator) / static_cast<double>(denominator); }
  friend bool operator==(const Fraction&, const Fraction&) = default;
  friend bool operator<(const Fraction& a, const Fraction& b) {
    return Wide{a.numerator} * b.denominator < Wide{b.numerator} * a.denominator;
  }
};

// `denominator` is not 0.
[[nodiscard]] inline Fraction fraction(std::uint64_t numerator, std::uint64_t denominator) {
  const std::uint64_t common = std::gcd(numerator, denominator);
  return {numerator / common, denominator / common};
}

}  // namespace railgauge::topo
